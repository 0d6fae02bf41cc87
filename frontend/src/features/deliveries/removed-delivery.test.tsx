import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';

const slow = { timeout: 15_000 };
vi.setConfig({ testTimeout: 30_000 });

function open(note: string) {
  const step = {
    __typename: 'DeliveryStatusHistory',
    id: 'h2',
    note,
    actorName: 'maria',
    occurredAt: '2026-11-20T03:00:00Z',
    uploadLogId: 'u1',
  };
  startFakeServer({
    user: rosa,
    operations: {
      ViewDelivery: () => ({ data: { delivery: null } }),
      LastStep: () => ({ data: { deliveryStatusHistories: [step] } }),
    },
  });
  renderRoutes(declarations, '/view-delivery/DR-1');
}

it('says whose undo removed a delivery, and leads to the import', async () => {
  open('Removed: its import was undone');
  await screen.findByRole('heading', { name: 'This delivery was removed' }, slow);
  expect(
    screen.getByText('On Nov 20, 2026 11:00 AM, maria undid the import that created DR-1.'),
  ).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Show the import' })).toHaveAttribute(
    'href',
    '/uploaded-details/u1',
  );
  await expectAccessible();
});

it('says nothing of an undo where another step came last', async () => {
  open('Called them');
  await screen.findByRole('heading', { name: 'Delivery not found' }, slow);
});
