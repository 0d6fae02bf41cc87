import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { listOf } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { historyStep } from '@/test/histories';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './status-histories-page';

let server: FakeServer;
let rows: object[];
let failing: boolean;

const change = (field: string, before: string | null, after: string | null, item?: string) => ({
  __typename: 'FieldChange',
  itemNumber: item ?? null,
  field,
  before,
  after,
});

beforeEach(() => {
  failing = false;
  rows = [
    historyStep('h3', {
      late: true,
      superseded: true,
      note: 'Gate was closed',
      toStatus: 'Undelivered',
      reasonCode: 'other',
      point: { __typename: 'GeoPoint', lat: 14.559, lng: 121.02, accuracy: 12 },
      changes: [
        change('deliverystatus', 'Pending', 'Undelivered'),
        change('scheduledatetime', '2026-11-20T01:30:00Z', null),
        change('quantityDelivered', '0', '22', '20'),
        change('outcomeReason', null, 'other'),
        change('varianceReason', null, 'other', '20'),
        change('inventedLater', 'a', 'b'),
      ],
    }),
    historyStep('h2', {
      deliveryId: 'A/B 100%',
      toStatus: 'Complete_No_Variance',
      correctionOf: 'h1',
      actorType: 'user',
      actorName: 'rosa',
      occurredAt: '2026-11-20T05:00:00Z',
    }),
    historyStep('h1', {
      fromStatus: null,
      toStatus: 'Pending',
      actorType: 'import',
      actorName: 'rosa',
      uploadLogId: 'u1',
      occurredAt: '2026-11-19T08:15:00Z',
      reasonCode: 'unknown_code',
    }),
  ];
  server = startFakeServer({
    user: { ...rosa, roles: ['viewer'] },
    operations: {
      StatusHistoriesPage: () => {
        if (failing) throw new TypeError('lost');
        return listOf('deliveryStatusHistories', rows);
      },
      ReasonsLookup: () => ({
        data: {
          reasons: [
            { __typename: 'Reason', appliesTo: 'variance', code: 'other', label: 'Other variance', order: 1 },
            { __typename: 'Reason', appliesTo: 'undelivered', code: 'other', label: 'Other cause', order: 1 },
            { __typename: 'Reason', appliesTo: 'rejected', code: 'other', label: 'Other refusal', order: 1 },
          ],
        },
      }),
      DeliveriesLookup: () => ({ data: { deliveries: [] } }),
    },
  });
});

async function open(search = '') {
  const view = renderRoutes(declarations, `/delivery-status-histories${search}`);
  await screen.findByRole('heading', { level: 1, name: 'Delivery Status History' });
  return view;
}

const page = () =>
  server.calls.findLast(({ name }) => name === 'StatusHistoriesPage')?.variables.page as {
    where: unknown;
    sort: unknown;
  };
const entry = (name: string) => screen.findByRole('button', { name });

it('lists every step, what it led to and what is out of the ordinary', async () => {
  await open();
  await entry('Nov 20, 2026 1:00 PM');
  const [, late, corrected, created] = screen.getAllByRole('row');
  await waitFor(() => expect(late).toHaveTextContent('Other cause'));
  expect(late).toHaveTextContent('PendingbecomesUndelivered1Rico Santos driver app');
  expect(late).toHaveTextContent('Recorded lateSupersededGate was closed');
  expect(corrected).toHaveTextContent('Correction');
  expect(corrected).not.toHaveTextContent('Recorded late');
  expect(within(corrected as HTMLElement).getByRole('link', { name: 'A/B 100%' })).toHaveAttribute(
    'href',
    '/view-delivery/A%2FB%20100%25',
  );
  // The first step has no previous status; an unknown reason shows its code.
  expect(created).toHaveTextContent('Pending1rosa importunknown_code');
  expect(created).not.toHaveTextContent('becomes');
  expect(page().sort).toEqual([{ key: 'occurredAt', direction: 'desc' }]);
  await expectAccessible();
});

it('shows beside the list what a step changed', async () => {
  const { user } = await open();
  await entry('Nov 20, 2026 1:00 PM');
  await user.click(await entry('Nov 20, 2026 11:08 AM'));
  const panel = within(await screen.findByRole('dialog', { name: 'DR-1184102' }));
  expect(panel.getByRole('row', { name: /^Delivery Status/ })).toHaveTextContent(
    'Delivery StatusPendingUndelivered',
  );
  expect(panel.getByRole('row', { name: /^Dispatch Date and Time/ })).toHaveTextContent(
    'Nov 20, 2026 9:30 AMNone',
  );
  expect(panel.getByRole('row', { name: /^Item 20: Delivered/ })).toHaveTextContent('022');
  await waitFor(() => expect(panel.getByRole('row', { name: /^Item 20: Reason/ })).toHaveTextContent('NoneOther variance'));
  expect(panel.getByRole('row', { name: /^Reason/ })).toHaveTextContent('NoneOther cause / Other refusal');
  expect(panel.getByRole('row', { name: /^inventedLater/ })).toHaveTextContent('ab');
  expect(panel.getByText('14.55900, 121.02000 ± 12 m')).toBeInTheDocument();
  expect(panel.getByText(/reported long after it happened/)).toBeInTheDocument();
  expect(panel.getByText(/didn't change the delivery/)).toBeInTheDocument();
  await expectAccessible();

  await user.click(await entry('Nov 19, 2026 4:15 PM'));
  const next = within(await screen.findByRole('dialog', { name: 'DR-1184102' }));
  expect(await next.findByRole('link', { name: 'Show import' })).toHaveAttribute(
    'href',
    '/uploaded-details/u1',
  );
  expect(next.getByText('Only the status changed.')).toBeInTheDocument();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

it('reads the reasons once, not again with each step that shows one', async () => {
  const { user } = await open();
  await waitFor(() => expect(screen.getAllByRole('row')[1]).toHaveTextContent('Other cause'));
  await user.click(await entry('Nov 20, 2026 11:08 AM'));
  const panel = within(await screen.findByRole('dialog', { name: 'DR-1184102' }));
  await panel.findByText('Other cause');
  expect(server.calls.filter(({ name }) => name === 'ReasonsLookup')).toHaveLength(1);
});

it('goes from one step to the next by keys while the panel is open', async () => {
  const { user } = await open();
  await user.click(await entry('Nov 20, 2026 11:08 AM'));
  const panel = await screen.findByRole('dialog', { name: 'DR-1184102' });
  await user.keyboard('j');
  expect(panel).toHaveAccessibleName('A/B 100%');
  await user.keyboard('k');
  expect(panel).toHaveAccessibleName('DR-1184102');
  // The other keys of the list work beside the panel.
  await user.keyboard('f');
  expect(await screen.findByRole('textbox', { name: 'Find a field' })).toBeInTheDocument();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('textbox', { name: 'Find a field' })).not.toBeInTheDocument());
  await user.keyboard('/');
  expect(screen.getByRole('textbox', { name: 'Delivery Doc' })).toHaveFocus();
});

it('is filtered by reason in words, with all labels of its code', async () => {
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'Filter' }));
  const menu = within(await screen.findByRole('dialog'));
  await user.click(menu.getByRole('button', { name: 'Reason' }));
  await user.type(screen.getByRole('combobox', { name: 'Value' }), 'cause');
  await user.click(await screen.findByRole('option', { name: 'Other cause / Other refusal' }));
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  await waitFor(() =>
    expect(page().where).toEqual([{ key: 'reasonCode', operator: 'equals', values: ['other'] }]),
  );
  expect(
    screen.getByRole('button', { name: 'Change filter: Reason is Other cause / Other refusal' }),
  ).toBeInTheDocument();
});

it('is filtered by what a step led to', async () => {
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'Filter' }));
  const menu = within(await screen.findByRole('dialog'));
  await user.click(menu.getByRole('button', { name: 'Delivery Status' }));
  await user.click(screen.getByRole('checkbox', { name: 'Undelivered' }));
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  await waitFor(() =>
    expect(page().where).toEqual([
      { key: 'toStatus', operator: 'equals', values: ['Undelivered'] },
    ]),
  );
});

it('is found by delivery from the top bar', async () => {
  const { user } = await open();
  await user.type(screen.getByRole('textbox', { name: 'Delivery Doc' }), 'DR-11{Enter}');
  await waitFor(() =>
    expect(page().where).toEqual([
      { key: 'deliveryId', operator: 'contains', values: ['DR-11'] },
    ]),
  );
});

it('says that there is nothing yet, and what failed', async () => {
  rows = [];
  const { unmount } = await open();
  await screen.findByRole('heading', { name: 'No history yet' });
  unmount();
  failing = true;
  await open();
  await screen.findByRole('heading', { name: 'Something went wrong' });
});
