import { screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { decodeFilters } from '@/list/filters-codec';
import { toLocationState } from '@/list/list-origin';
import { expectAccessible } from '@/test/axe';
import { deliveryRow } from '@/test/deliveries';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';

const slow = { timeout: 15_000 };
vi.setConfig({ testTimeout: 20_000 });

function delivery(id: string) {
  return {
    ...deliveryRow(1),
    id,
    deliverystatus: 'Complete_With_Variance',
    deliverydatetime: '2026-11-20T03:08:00Z',
    uploadLogId: 'u1',
    customeraddress: '6780 Ayala Avenue, Makati City',
    timeWindowStart: '2026-11-20T02:00:00Z',
    timeWindowEnd: null,
    contactName: 'Carla Tan',
    contactPhone: '+63 917 555 0134',
    contactEmail: null,
    instructions: 'Use bay 2',
    internalNote: null,
    priority: 'high',
    attempt: 2,
    maxAttempts: 3,
    createdAt: '2026-11-19T08:15:00Z',
    createdBy: 'rosa',
    updatedAt: '2026-11-20T03:08:00Z',
    updatedBy: 'rico',
    items: [
      {
        __typename: 'DeliveryItem',
        itemNumber: '10',
        sku: 'RC-25K',
        description: 'Well-milled rice 25 kg',
        unit: 'pcs',
        quantity: 1240.5,
        weightKg: null,
        barcode: null,
      },
    ],
    history: [
      change('h1', null, 'Pending', '2026-11-19T08:15:00Z', 'import'),
      change('h2', 'Pending', 'Complete_With_Variance', '2026-11-20T03:08:00Z', 'driver'),
    ],
    shipment: {
      __typename: 'Shipment',
      shipmentnumber: 'SH-26147',
      shipmentstatus: 'Partial',
      deliveryCount: 12,
      openCount: 5,
      completedCount: 7,
    },
    source: { __typename: 'Source', id: 's1', name: 'Warehouse file' },
  };
}

function change(id: string, from: string | null, to: string, at: string, actorType: string) {
  return {
    __typename: 'DeliveryStatusHistory',
    id,
    fromStatus: from,
    toStatus: to,
    attempt: 1,
    occurredAt: at,
    actorType,
    actorName: 'Rico Santos',
    note: null,
  };
}

function open(id: string, state?: unknown) {
  startFakeServer({
    user: rosa,
    operations: {
      ViewDelivery: ({ id: asked }) => {
        if (asked === 'LOST') throw new TypeError('lost');
        return { data: { delivery: asked === 'NONE' ? null : delivery(String(asked)) } };
      },
    },
  });
  return renderRoutes(declarations, { pathname: `/view-delivery/${id}`, state });
}

const fact = (label: string) => screen.getByText(label, { selector: 'dt' }).nextElementSibling;

it('shows the facts, items and history of one delivery', async () => {
  open('DR-1');
  await screen.findByRole('heading', { level: 2, name: 'DR-1' }, slow);
  expect(fact('Delivery Doc')).toHaveTextContent('DR-1');
  expect(fact('Reference Doc')).toHaveTextContent('SI-880417');
  expect(fact('Dispatch Date and Time')).toHaveTextContent('Nov 20, 2026 9:30 AM');
  expect(fact('Dispatch Date')).toHaveTextContent('Nov 20, 2026');
  expect(fact('Dispatch Time')).toHaveTextContent('9:30 AM');
  expect(fact('Driver ID')).toHaveTextContent('Unassigned');
  expect(fact('Attempt')).toHaveTextContent('2 of 3');
  expect(fact('Internal note')).toHaveTextContent('None');
  expect(screen.getByRole('row', { name: /Well-milled rice/ })).toHaveTextContent('1,240.5');
  const changes = within(screen.getByRole('list', { name: 'Status timeline' })).getAllByRole('listitem');
  expect(changes[0]).toHaveTextContent('Complete with varianceNov 20, 2026 11:08 AM · Rico Santos, driver app');
  expect(changes[1]).toHaveTextContent('Pending');
  await expectAccessible();
});

it('leads to the deliveries of its shipment and to its import', async () => {
  open('DR-1');
  const link = await screen.findByRole('link', { name: 'Show deliveries' }, slow);
  const filters = new URL(link.getAttribute('href') ?? '', 'http://x').searchParams.get('filters');
  expect(decodeFilters(filters).filters).toEqual([
    { key: 'shipmentnumber', operator: 'equals', values: [{ label: 'SH-26147', value: 'SH-26147' }] },
  ]);
  expect(screen.getByRole('link', { name: 'Show import' })).toHaveAttribute(
    'href',
    '/uploaded-details/u1',
  );
});

it('copies the document number', async () => {
  const { user } = open('DR-1');
  await screen.findByRole('heading', { level: 2, name: 'DR-1' }, slow);
  const write = vi.spyOn(navigator.clipboard, 'writeText');
  await user.click(screen.getByRole('button', { name: 'Copy Delivery Doc' }));
  expect(write).toHaveBeenCalledWith('DR-1');
  expect(await screen.findByText('Delivery Doc copied')).toBeInTheDocument();
});

it('pages through the list it came from', async () => {
  const origin = {
    list: 'deliveries',
    search: '?sort=id',
    ids: ['DR-1', 'DR-2'],
    offset: 25,
    total: 71,
    exact: true,
  };
  const { user, address } = open('DR-2', toLocationState(origin));
  expect(await screen.findByRole('link', { name: '27 of 71' }, slow)).toHaveAttribute(
    'href',
    '/deliveries?sort=id',
  );
  expect(screen.queryByRole('link', { name: 'Next delivery' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('link', { name: 'Previous delivery' }));
  await waitFor(() => expect(address()).toBe('/view-delivery/DR-1'));
  expect(await screen.findByRole('link', { name: 'Next delivery' }, slow)).toBeInTheDocument();
});

it('says so when there is no such delivery', async () => {
  open('NONE');
  await screen.findByRole('heading', { name: 'No such delivery' }, slow);
  await expectAccessible();
});

it('says what failed', async () => {
  open('LOST');
  await screen.findByRole('heading', { name: 'Something went wrong' }, slow);
  expect(screen.getByText('An error has occurred')).toBeInTheDocument();
});
