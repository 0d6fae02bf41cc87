import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { decodeFilters } from '@/list/filters-codec';
import { toLocationState } from '@/list/list-origin';
import { expectAccessible } from '@/test/axe';
import {
  attachment,
  completedDelivery,
  fullDelivery,
  historyStep,
  reasonsAnswer,
  variance,
} from '@/test/delivery';
import { FakeSocket } from '@/test/fake-socket';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Fetched ahead, so that no test waits for it on a busy machine.
import './pages/view-delivery-page';

// A person types slowly, and so does a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let server: FakeServer;
let delivery: Record<string, unknown> | null;
let failing: boolean;

beforeEach(() => {
  failing = false;
  delivery = completedDelivery();
});

function open(path = '/view-delivery/DR-1', { roles = ['admin'], state }: { roles?: string[]; state?: unknown } = {}) {
  server = startFakeServer({
    user: { ...rosa, roles },
    operations: {
      ViewDelivery: ({ id }) => {
        if (failing) throw new TypeError('lost');
        return { data: { delivery: delivery && { ...delivery, id } } };
      },
      Reasons: () => reasonsAnswer,
      MutatePresignedUrl: ({ url }) => ({
        data: {
          mutatePresignedUrl: { __typename: 'PresignedUrl', presignedUrl: `${String(url)}?sig=1` },
        },
      }),
      ResolveConflict: () => ({
        data: {
          resolveConflict: { __typename: 'Delivery', id: 'DR-1', version: 4, conflict: false },
        },
      }),
    },
  });
  const [pathname = '', search = ''] = path.split('?');
  return renderRoutes(declarations, { pathname, search: search && `?${search}`, state });
}

async function ready(id = 'DR-1') {
  await screen.findByRole('heading', { level: 2, name: id });
}

const fact = (label: string) => screen.getByText(label, { selector: 'dt' }).nextElementSibling;
const panel = (name: string) => within(screen.getByRole('region', { name }));
const sent = (name: string) => server.calls.filter((call) => call.name === name);

describe('the facts', () => {
  it('are shown with their labels', async () => {
    delivery = completedDelivery({
      timeWindowStart: '2026-11-20T02:00:00Z',
      timeWindowEnd: '2026-11-20T03:30:00Z',
      attempt: 1,
    });
    open();
    await ready();
    expect(fact('Delivery Doc')).toHaveTextContent('DR-1');
    expect(fact('Reference Doc')).toHaveTextContent('SI-880417');
    expect(fact('Dispatch Date and Time')).toHaveTextContent('Nov 20, 2026 9:30 AM');
    expect(fact('Dispatch Date')).toHaveTextContent('Nov 20, 2026');
    expect(fact('Dispatch Time')).toHaveTextContent('9:30 AM');
    expect(fact('Processed at Date')).toHaveTextContent('Nov 20, 2026 11:08 AM');
    expect(fact('Driver ID')).toHaveTextContent('Unassigned');
    expect(fact('Scan Mode')).toHaveTextContent('Yes');
    expect(fact('Time window')).toHaveTextContent('10:00 AM – 11:30 AMOn time');
    expect(fact('Attempt')).toHaveTextContent('1 of 3');
    expect(fact('Internal note')).toHaveTextContent('None');
    expect(screen.getAllByText('Complete with variance')[0]).toBeInTheDocument();
    await expectAccessible();
  });

  it('name the driver, lead to them, and say that they may not work', async () => {
    delivery = completedDelivery({
      driverId: 'drv-014',
      driver: { __typename: 'Driver', driverId: 'DRV-014', name: 'Rico Santos', status: 'blocked' },
    });
    open();
    await ready();
    expect(fact('Driver ID')).toHaveTextContent('DRV-014Rico SantosBlocked');
    expect(screen.getByRole('link', { name: 'DRV-014' })).toHaveAttribute('href', '/drivers/DRV-014');
  });

  it('name a driver whom nobody made by the id, and say so', async () => {
    delivery = completedDelivery({ driverId: 'DRV-099', driver: null });
    open();
    await ready();
    expect(fact('Driver ID')).toHaveTextContent(/^DRV-099Not known$/);
  });

  it('lead to the status history of this delivery alone', async () => {
    open();
    await ready();
    const href = screen.getByRole('link', { name: 'History' }).getAttribute('href') ?? '';
    const { pathname, searchParams } = new URL(href, 'http://x');
    expect(pathname).toBe('/delivery-status-histories');
    expect(decodeFilters(searchParams.get('filters')).filters).toEqual([
      { key: 'deliveryId', operator: 'equals', values: [{ label: 'DR-1', value: 'DR-1' }] },
    ]);
  });

  it('stay when reading them again fails', async () => {
    delivery = completedDelivery({ conflict: true });
    const { user } = open();
    await ready();
    failing = true;
    await user.click(screen.getByRole('button', { name: 'Mark as reviewed' }));
    expect(await screen.findByText(/Couldn't refresh\./)).toBeInTheDocument();
    expect(fact('Delivery Doc')).toHaveTextContent('DR-1');
  });
});

describe('actions', () => {
  const all = [
    'Delivery form',
    'Edit delivery',
    'Complete',
    'Mark undelivered',
    'Reject',
    'Reschedule',
    'Refused by phone',
    'Assign driver',
    'Add files',
    'Correct lines',
    'Correct status',
    'Reopen',
  ];

  async function offered(user: ReturnType<typeof open>['user']) {
    const more = screen.queryByRole('button', { name: 'More actions' });
    if (more) await user.click(more);
    const names = [
      ...screen.queryAllByRole('link', { hidden: true }),
      ...screen.queryAllByRole('button', { hidden: true }),
      ...screen.queryAllByRole('menuitem'),
    ].map((element) => element.textContent);
    return all.filter((name) => names.includes(name));
  }

  it.each([
    ['all of an open one', fullDelivery().allowedActions, [
      'Delivery form', 'Edit delivery', 'Complete', 'Mark undelivered', 'Reject', 'Assign driver', 'Add files',
    ]],
    ['those after a failed attempt', ['edit', 'reschedule', 'refuse_after_attempt', 'print'], [
      'Delivery form', 'Edit delivery', 'Reschedule', 'Refused by phone',
    ]],
    ['corrections', ['correct_lines', 'correct_status', 'print'], [
      'Delivery form', 'Correct lines', 'Correct status',
    ]],
    ['reopening', ['reopen', 'add_evidence'], ['Add files', 'Reopen']],
    ['nothing but the form', ['print'], ['Delivery form']],
    ['nothing', [], []],
  ])('are what the server allows: %s', async (_, allowedActions, expected) => {
    delivery = fullDelivery({ allowedActions });
    const { user } = open();
    await ready();
    expect(await offered(user)).toEqual(expected);
  });

  it('do not ask the role', async () => {
    delivery = fullDelivery({ allowedActions: ['print'] });
    const { user } = open('/view-delivery/DR-1', { roles: ['admin'] });
    await ready();
    expect(await offered(user)).toEqual(['Delivery form']);
  });

  it('lead to the forms, and remember the list', async () => {
    delivery = fullDelivery();
    const origin = { list: 'deliveries', pathname: '/deliveries', search: '', ids: ['DR-1'], offset: 0, total: 1, exact: true };
    const { user, address, router } = open('/view-delivery/DR-1', { state: toLocationState(origin) });
    await ready();
    expect(screen.getByRole('link', { name: 'Complete' })).toHaveAttribute(
      'href',
      '/edit-delivery/DR-1?outcome=delivered',
    );
    await user.click(screen.getByRole('button', { name: 'More actions' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Reject' }));
    await waitFor(() => expect(address()).toBe('/edit-delivery/DR-1?outcome=rejected'));
    expect(router.state.location.state).toEqual(toLocationState(origin));
  });
});

describe('items and variances', () => {
  it('say what differs, with a sign, and why', async () => {
    const { user } = open();
    await ready();
    const row = await screen.findByRole('row', { name: /Goods 20/ });
    await waitFor(() => expect(row).toHaveTextContent('Damaged in transit'));
    expect(row).toHaveTextContent('2422−2');
    expect(screen.getByRole('row', { name: /Goods 10/ })).toHaveTextContent('40400None');
    expect(within(row).getByRole('link', { name: '20' })).toHaveAttribute(
      'href',
      '/view-delivery-item/DR-1/20',
    );
    await user.click(screen.getByRole('button', { name: 'Variances only' }));
    expect(screen.queryByRole('row', { name: /Goods 10/ })).not.toBeInTheDocument();
    const variances = panel('Variances');
    expect(variances.getByRole('listitem')).toHaveTextContent(
      'Item 20−2 boxDamaged in transitCarla Tan asks for a credit memodriver',
    );
    expect(variances.getByText('Two cases leaked on the lower layer.', { exact: false })).toBeInTheDocument();
  });

  it('say nothing of variances before anything was counted', async () => {
    delivery = fullDelivery();
    open();
    await ready();
    expect(screen.queryByRole('columnheader', { name: 'Delivered' })).not.toBeInTheDocument();
    expect(screen.queryByRole('region', { name: 'Variances' })).not.toBeInTheDocument();
  });
});

describe('proof', () => {
  beforeEach(() => {
    delivery = completedDelivery({
      podRequirement: ['signature', 'photo', 'location'],
      addressPoint: { __typename: 'GeoPoint', lat: 14.559, lng: 121.02, accuracy: null },
      outcomePoint: { __typename: 'GeoPoint', lat: 14.57, lng: 121.03, accuracy: 12 },
      outcomeDistanceM: 1630,
      attachments: [
        attachment('sign', { kind: 'signature', contentType: 'image/png' }),
        attachment('goods'),
        attachment('later', {
          addedAfterCompletion: true,
          receivedAt: '2026-11-20T05:00:00Z',
          itemNumber: '20',
        }),
      ],
    });
  });

  it('shows who signed, the files with their marks, and the place with a warning', async () => {
    open();
    await ready();
    const proof = panel('Proof of delivery');
    expect(proof.getByText('Carla Tan')).toBeInTheDocument();
    expect(proof.getByText('Colleague')).toBeInTheDocument();
    expect(proof.getByText('Signed 10:58 AM')).toBeInTheDocument();
    const files = within(proof.getByRole('list', { name: 'Files' })).getAllByRole('listitem');
    expect(files.map((file) => file.textContent)).toEqual([
      'Photo 10:58 AM',
      'Photo, item 20 10:58 AMAdded laterLate',
    ]);
    expect(proof.getByText('Signature')).toHaveTextContent('Signatureprovided');
    expect(panel('Location').getByText(/1.6 km from the address/)).toBeInTheDocument();
    await waitFor(() => expect(sent('MutatePresignedUrl')).toHaveLength(3));
    await expectAccessible();
  });

  it('enlarges a file: zoom, turn, what is known of it, and the next one', async () => {
    const { user } = open();
    await ready();
    await user.click(screen.getByRole('button', { name: 'Enlarge Photo, 10:58 AM' }));
    const viewer = within(await screen.findByRole('dialog', { name: 'Photo' }));
    const picture = await viewer.findByRole('img', { name: 'Photo' });
    expect(picture).toHaveAttribute('src', '/objects/proof/goods.jpg?sig=1');
    // Once for the strip and once for all of the viewer: equal mutations end one another.
    const asked = sent('MutatePresignedUrl').filter(({ variables }) => variables.url === '/objects/proof/goods.jpg');
    expect(asked).toHaveLength(2);
    await user.click(viewer.getByRole('button', { name: 'Zoom in' }));
    expect(viewer.getByText('150%')).toBeInTheDocument();
    await user.click(viewer.getByRole('button', { name: 'Turn right' }));
    expect(picture.closest('[style*="rotate(90deg)"]')).not.toBeNull();
    expect(viewer.getByText('20 KB · 1200 × 900 px')).toBeInTheDocument();
    expect(viewer.getByText('Rico Santos, driver app')).toBeInTheDocument();
    expect(viewer.getByText('ab'.repeat(32))).toBeInTheDocument();
    await user.click(viewer.getByRole('button', { name: 'Next file' }));
    expect(await screen.findByRole('dialog', { name: 'Photo, item 20' })).toBeInTheDocument();
    expect(screen.getByText('100%')).toBeInTheDocument();
    await expectAccessible(screen.getByRole('dialog'));
  });
});

describe('attempts', () => {
  beforeEach(() => {
    delivery = fullDelivery({
      attempt: 2,
      attachments: [attachment('gate', { attempt: 1 })],
      variances: [variance('v1', { attempt: 1, difference: -24, reason: 'Recipient absent' })],
      history: [
        historyStep('h1'),
        historyStep('h2', {
          toStatus: 'Undelivered',
          reasonCode: 'recipient_absent',
          note: 'Gate locked',
          occurredAt: '2026-11-20T02:00:00Z',
          receivedAt: '2026-11-20T03:00:00Z',
          late: true,
        }),
        historyStep('h3', { attempt: 2, receivedAt: '2026-11-20T04:00:00Z' }),
      ],
    });
  });

  it('have a tab each; an earlier one shows what it came to', async () => {
    const { user, address } = open();
    await ready();
    const tabs = within(screen.getByRole('navigation', { name: 'Attempts' }));
    expect(tabs.getByRole('link', { name: 'Attempt 2: Pending' })).toHaveAttribute('aria-current', 'page');
    expect(screen.queryByText('Gate locked', { exact: false })).not.toBeInTheDocument();
    await user.click(tabs.getByRole('link', { name: 'Attempt 1: Undelivered' }));
    expect(address()).toBe('/view-delivery/DR-1?attempt=1');
    expect(panel('Variances').getByText('Gate locked')).toBeInTheDocument();
    expect(panel('Proof of delivery').getByText('Recipient absent')).toBeInTheDocument();
    const [end] = within(screen.getByRole('list', { name: 'Status timeline' })).getAllByRole('listitem');
    expect(end).toHaveTextContent('Received Nov 20, 2026 11:00 AMLate');
    await expectAccessible();
  });
});

describe('the timeline', () => {
  it('marks corrections and what was set aside, and tells the changes', async () => {
    delivery = completedDelivery({
      history: [
        historyStep('h1'),
        historyStep('h2', {
          toStatus: 'Complete_With_Variance',
          actorType: 'user',
          actorName: 'dennis',
          correctionOf: 'h1',
          receivedAt: '2026-11-20T04:00:00Z',
          changes: [
            { __typename: 'FieldChange', itemNumber: '20', field: 'quantityDelivered', before: '24', after: '22' },
            { __typename: 'FieldChange', itemNumber: null, field: 'outcomeReason', before: 'recipient_absent', after: null },
          ],
        }),
        historyStep('h3', { toStatus: 'Rejected', superseded: true, receivedAt: '2026-11-20T05:00:00Z' }),
      ],
    });
    const { user } = open();
    await ready();
    const steps = within(screen.getByRole('list', { name: 'Status timeline' }));
    const [aside, correction] = steps.getAllByRole('listitem');
    expect(aside).toHaveTextContent('Superseded');
    expect(correction).toHaveTextContent('dennis, office');
    expect(correction).toHaveTextContent('Correction');
    await user.click(steps.getByText('2 changes'));
    expect(correction).toHaveTextContent('Item 20 Delivered: 24 → 22');
    expect(correction).toHaveTextContent('Reason: Recipient absent → None');
  });
});

it('lists the versions of the form', async () => {
  open();
  await ready();
  const versions = panel('Delivery forms');
  expect(versions.getByRole('link', { name: 'Version 1' })).toHaveAttribute(
    'href',
    '/forms/DR-1?formVersion=1',
  );
});

describe('what an import left out', () => {
  it('is said, with the way to the import', async () => {
    delivery = fullDelivery({ incompleteUploadLogId: 'u7', driverId: 'DRV-9', driver: null });
    open();
    await ready();
    expect(screen.getByText('Only part of this delivery was imported')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Show import' })).toHaveAttribute(
      'href',
      '/uploaded-details/u7',
    );
    expect(fact('Driver ID')).toHaveTextContent('DRV-9Not known');
    await expectAccessible();
  });

  it('is not said of a whole one', async () => {
    delivery = fullDelivery();
    open();
    await ready();
    expect(screen.queryByText('Only part of this delivery was imported')).not.toBeInTheDocument();
    expect(fact('Driver ID')).toHaveTextContent('Unassigned');
  });
});

describe('a conflict', () => {
  it('is marked as reviewed', async () => {
    delivery = completedDelivery({ conflict: true });
    const { user } = open();
    await ready();
    expect(screen.getByText(/Late update from a driver/)).toBeInTheDocument();
    delivery = completedDelivery({ version: 4 });
    await user.click(screen.getByRole('button', { name: 'Mark as reviewed' }));
    expect(await screen.findByText('Marked as reviewed')).toBeInTheDocument();
    expect(sent('ResolveConflict')[0]?.variables).toEqual({ input: { deliveryId: 'DR-1', version: 3 } });
    await waitFor(() =>
      expect(screen.queryByText(/Late update from a driver/)).not.toBeInTheDocument(),
    );
  });

  it('is only told to those who read', async () => {
    delivery = completedDelivery({ conflict: true });
    open('/view-delivery/DR-1', { roles: ['viewer'] });
    await ready();
    expect(screen.getByText(/Late update from a driver/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Mark as reviewed' })).not.toBeInTheDocument();
  });
});

it('shows a change made elsewhere', async () => {
  FakeSocket.install();
  delivery = fullDelivery();
  open();
  await ready();
  await waitFor(() => expect(FakeSocket.last().open('deliveryChanged')).toHaveLength(1));
  expect(FakeSocket.last().open('deliveryChanged')[0]?.payload).toMatchObject({ variables: { ids: ['DR-1'] } });
  delivery = completedDelivery({ version: 4 });
  act(() =>
    FakeSocket.last().push({ deliveryChanged: { __typename: 'DeliveryChange', id: 'DR-1' } }),
  );
  expect(await screen.findByRole('link', { name: 'Correct lines' })).toBeInTheDocument();
});

it('pages through the list it came from', async () => {
  const origin = {
    list: 'deliveries',
    pathname: '/deliveries',
    search: '?sort=id',
    ids: ['DR-1', 'DR-2'],
    offset: 25,
    total: 71,
    exact: true,
  };
  const { user, address } = open('/view-delivery/DR-2', { state: toLocationState(origin) });
  expect(await screen.findByRole('link', { name: '27 of 71' })).toHaveAttribute(
    'href',
    '/deliveries?sort=id',
  );
  expect(screen.queryByRole('link', { name: 'Next delivery' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('link', { name: 'Previous delivery' }));
  await waitFor(() => expect(address()).toBe('/view-delivery/DR-1'));
  expect(await screen.findByRole('link', { name: 'Next delivery' })).toBeInTheDocument();
});

it('copies the document number', async () => {
  const { user } = open();
  await ready();
  const write = vi.spyOn(navigator.clipboard, 'writeText');
  await user.click(screen.getByRole('button', { name: 'Copy Delivery Doc' }));
  expect(write).toHaveBeenCalledWith('DR-1');
  expect(await screen.findByText('Delivery Doc copied')).toBeInTheDocument();
});

it('takes ids that an address would take apart', async () => {
  const id = 'DR 1/2 100%#?';
  delivery = fullDelivery();
  open(`/view-delivery/${encodeURIComponent(id)}`);
  await ready(id);
  expect(sent('ViewDelivery')[0]?.variables).toEqual({ id });
  expect(screen.getByRole('link', { name: 'Complete' })).toHaveAttribute(
    'href',
    '/edit-delivery/DR%201%2F2%20100%25%23%3F?outcome=delivered',
  );
  expect(screen.getByRole('link', { name: '20' })).toHaveAttribute(
    'href',
    '/view-delivery-item/DR%201%2F2%20100%25%23%3F/20',
  );
});

it('says so when there is no such delivery', async () => {
  delivery = null;
  open();
  await screen.findByRole('heading', { name: 'No such delivery' });
  await expectAccessible();
});

it('says what failed and tries again', async () => {
  failing = true;
  const { user } = open();
  await screen.findByRole('heading', { name: 'Something went wrong' });
  expect(screen.getByText('An error has occurred')).toBeInTheDocument();
  failing = false;
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await ready();
});
