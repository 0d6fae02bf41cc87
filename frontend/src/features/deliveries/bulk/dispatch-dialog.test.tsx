import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { deliveryRow } from '@/test/deliveries';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderPage } from '@/test/render';
import { ChangeDispatchDialog } from './dispatch-dialog';

it('leaves out of Retry what somebody has changed meanwhile, and says what to do', async () => {
  const text = 'DR-1000 was changed in the meantime. Reload it and try again.';
  const result = { __typename: 'BulkResult', deliveryId: 'DR-1000', ok: false, code: 'DELIVERY_CHANGED', text };
  startFakeServer({
    user: rosa,
    operations: { ChangeDispatchTimes: () => ({ data: { changeDispatchTimes: [result] } }) },
  });
  const onSelect = vi.fn<(ids: readonly string[]) => void>();
  const { user: hand } = renderPage(
    <ChangeDispatchDialog
      ids={['DR-1000']}
      rows={[deliveryRow(1000, { version: 4 })]}
      onSelect={onSelect}
      onClose={() => {}}
    />,
  );
  await hand.click(await screen.findByText('Change 1 delivery', { selector: 'button' }));
  expect(await screen.findByText('0 done, 1 failed')).toBeInTheDocument();
  expect(screen.getByText(/^Rows that were changed in the meantime can't be retried here\./)).toBeInTheDocument();
  expect(screen.queryByText('Retry')).not.toBeInTheDocument();
  await hand.click(screen.getByText('Close'));
  expect(onSelect).toHaveBeenCalledWith(['DR-1000']);
});
