import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeFilters } from '@/list/filters-codec';
import { expectAccessible } from '@/test/axe';
import { deliveryRow, lookedAtAll } from '@/test/deliveries';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';

const routes = [
  { name: 'deliveries', path: '/deliveries', page: () => import('./deliveries-page') },
];
const trucker = { key: 'trucker', operator: 'equals' as const, values: [{ label: 'T', value: 'T' }] };
const address = `/deliveries?${new URLSearchParams({ filters: encodeFilters([trucker]) })}`;

interface Change {
  id: string;
  dryRun: boolean;
  where: unknown;
}

let server: FakeServer;
/** Successive states of the change, one per poll. */
let looks: Record<string, unknown>[];
let counted: Record<string, unknown>;
/** Delay the count and the start of the change. */
let counting: Promise<void> | undefined;
let starting: Promise<void> | undefined;
/** Whether the answer to the start of the change is lost. */
let isLost: boolean;
let under: Record<string, unknown>[];
let failing: boolean;
let undoFailure: { message: string } | undefined;

const bulk = (changes: Record<string, unknown>) => ({
  __typename: 'BulkChange',
  id: 'c1',
  verb: 'assign',
  state: 'running',
  total: 10,
  done: 0,
  changed: 0,
  failed: 0,
  leftOut: [],
  failureText: null,
  finishedAt: null,
  cancelRequested: false,
  ...changes,
});
const left = (reason: string, count: number) => ({ __typename: 'LeftOut', reason, count });
const lost = { errors: [{ message: 'Too busy' }] };
const over = { state: 'done', done: 10, finishedAt: '2026-11-20T01:31:00Z' };

beforeEach(() => {
  lookedAtAll();
  localStorage.removeItem('waybill.bulk-changes.seen');
  looks = [];
  under = [];
  failing = false;
  counting = undefined;
  starting = undefined;
  isLost = false;
  undoFailure = undefined;
  counted = { changed: 6, leftOut: [left('already', 3), left('not_allowed', 1)] };
  const assigned = async (variables: Record<string, unknown>) => {
    const { dryRun } = variables.change as Change;
    await (dryRun ? counting : starting);
    if (!dryRun && isLost) throw new TypeError('lost');
    return { data: { assignAll: bulk(dryRun ? { ...counted, ...over } : { state: 'waiting' }) } };
  };
  server = startFakeServer({
    user: rosa,
    operations: {
      DeliveriesPage: () => ({
        data: {
          deliveries: [deliveryRow(1000), deliveryRow(1001)],
          deliveriesCount: { __typename: 'Count', total: 10, exact: true },
        },
      }),
      BulkChanges: () => (failing ? lost : { data: { bulkChanges: under } }),
      BulkChange: () => (failing ? lost : { data: { bulkChange: bulk(looks.shift() ?? under[0] ?? over) } }),
      AssignAll: assigned,
      UndoBulkChange: ({ id }) =>
        undoFailure ? { errors: [undoFailure] } : { data: { undoBulkChange: { __typename: 'BulkChange', id } } },
      CancelBulkChange: ({ id }) => ({
        data: { cancelBulkChange: { __typename: 'BulkChange', id, cancelRequested: true } },
      }),
    },
  });
});

afterEach(() => void vi.useRealTimers());

async function ask() {
  const { user: hand } = renderRoutes(routes, address);
  await screen.findByText('DR-1000', undefined, { timeout: 15_000 });
  await hand.click(screen.getByLabelText('Select DR-1000'));
  const bar = screen.getByLabelText('Selected rows');
  await hand.click(within(bar).getByText('Select all 10 that match'));
  await hand.click(within(bar).getByText('Assign driver'));
  await hand.click(await screen.findByLabelText('Unassigned'));
  return hand;
}

const dialog = () => document.querySelector<HTMLElement>('[role="dialog"]') ?? document.body;
const sent = () => server.calls.filter(({ name }) => name === 'AssignAll').map(({ variables }) => variables);

describe('changing all that match', () => {
  it('says how many fit and why others are left out, then does it once and tells what came of it', async () => {
    looks = [
      { done: 4, changed: 2 },
      { ...over, changed: 5, leftOut: [left('already', 3), left('changed', 1), left('not_allowed', 1)] },
      { ...over, verb: 'undo', total: 5, changed: 4, leftOut: [left('changed', 1)] },
    ];
    const hand = await ask();
    await hand.click(screen.getByText('Count deliveries'));
    expect(await screen.findByText('6 of 10 deliveries can be changed')).toBeInTheDocument();
    const reasons = screen.getByLabelText('Skipped');
    expect(reasons).toHaveTextContent('3already have this value1have an outcome');
    await expectAccessible(dialog());
    await hand.click(screen.getByText('Change 6'));
    expect(await screen.findByText('4 of 10 done')).toBeInTheDocument();
    expect(await screen.findByText('5 changed, 5 skipped')).toBeInTheDocument();
    expect(screen.getByText('were changed by someone else in the meantime')).toBeInTheDocument();
    await expectAccessible(dialog());
    const [dry, done] = sent();
    expect(dry).toMatchObject({ driverId: null, change: { dryRun: true } });
    const where = [{ key: 'trucker', operator: 'equals', values: ['T'] }];
    expect(done).toEqual({ driverId: null, change: { ...(dry?.change as Change), where, dryRun: false } });

    await hand.click(screen.getByText('Close'));
    await waitFor(() => expect(screen.queryByLabelText('Selected rows')).not.toBeInTheDocument());
    await hand.click(await screen.findByText('Undo'));
    expect(
      await screen.findByText('4 deliveries restored. 1 not undone: someone has changed it since.'),
    ).toBeInTheDocument();
    const undone = server.calls.find(({ name }) => name === 'UndoBulkChange')?.variables;
    expect(undone).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), changeId: 'c1' });
  });

  it('can be canceled while it counts', async () => {
    counting = new Promise(() => undefined);
    const hand = await ask();
    await hand.click(screen.getByText('Count deliveries'));
    await screen.findByText('Counting...');
    await hand.click(within(dialog()).getByText('Cancel'));
    await waitFor(() => expect(screen.queryByText('Counting...')).not.toBeInTheDocument());
  });

  it('does not go back while the change is being started', async () => {
    let start: () => void = () => undefined;
    starting = new Promise((resolve) => (start = resolve));
    const hand = await ask();
    await hand.click(screen.getByText('Count deliveries'));
    await hand.click(await screen.findByText('Change 6'));
    await hand.click(screen.getByText('Back'));
    expect(screen.getByText('6 of 10 deliveries can be changed')).toBeInTheDocument();
    start();
    await screen.findByText(/changed/, { selector: '[role="status"] *' });
  });

  it('starts the same change again at the click of Retry', async () => {
    looks = [{ ...over, changed: 6 }];
    isLost = true;
    const hand = await ask();
    await hand.click(screen.getByText('Count deliveries'));
    await hand.click(await screen.findByText('Change 6'));
    const retry = await screen.findByText('Retry');
    expect(screen.getByText(/it isn't known whether the change has started/)).toBeInTheDocument();
    isLost = false;
    await hand.click(retry);
    expect(await screen.findByText('6 changed')).toBeInTheDocument();
    const [, lostStart, again] = sent();
    expect(again).toEqual(lostStart);
  });

  it('starts nothing that is good for none', async () => {
    counted = { changed: 0, leftOut: [left('brand_new', 10)] };
    const hand = await ask();
    await hand.click(screen.getByText('Count deliveries'));
    expect(await screen.findByText('No deliveries can be changed')).toBeInTheDocument();
    // The server sent a reason that this release does not know.
    expect(screen.getByText("can't be changed")).toBeInTheDocument();
    await hand.click(screen.getByText('Change 0'));
    await hand.click(screen.getByText('Back'));
    expect(screen.getByLabelText('Unassigned')).toBeChecked();
    expect(sent()).toHaveLength(1);
  });

  it('can be stopped, and says that the rest stays as it is', async () => {
    looks = Array.from({ length: 100 }, () => ({ done: 4, changed: 4 }));
    const hand = await ask();
    await hand.click(screen.getByText('Count deliveries'));
    await hand.click(await screen.findByText('Change 6'));
    await hand.click(await screen.findByText('Stop'));
    looks = [{ ...over, state: 'cancelled', done: 6, changed: 6 }];
    expect(await screen.findByText('Stopped: 6 changed')).toBeInTheDocument();
    expect(server.calls.some(({ name }) => name === 'CancelBulkChange')).toBe(true);
  });

  it('shows what ended while nobody looked, until it is read', async () => {
    const ended = { ...over, finishedAt: new Date().toISOString() };
    under = [
      bulk({ ...ended, id: 'c7', verb: 'dispatch', changed: 9_000, total: 9_001 }),
      // This change ended last week.
      bulk({ ...ended, id: 'c6', changed: 17, finishedAt: '2026-11-10T01:31:00Z' }),
    ];
    looks = [{ ...over, id: 'c7', verb: 'dispatch', changed: 9_000, total: 9_001, leftOut: [left('not_pending', 1)] }];
    const { user: hand } = renderRoutes(routes, address);
    const strip = await screen.findByText('9,000 changed', undefined, { timeout: 15_000 });
    await hand.click(within(strip.closest('li') ?? strip).getByText('Show'));
    expect(await screen.findByText('9,000 changed, 1 skipped')).toBeInTheDocument();
    expect(screen.queryByText('17 changed')).not.toBeInTheDocument();
    fireEvent.click(screen.getByText('Close'));
    await waitFor(() => expect(screen.queryByText('9,000 changed')).not.toBeInTheDocument());
  });

  it('can be undone from the list for five minutes, unless it was a reschedule', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['Date', 'setInterval', 'clearInterval'] });
    const ended = { ...over, changed: 10, finishedAt: new Date(Date.now() - 240_000).toISOString() };
    under = [
      bulk({ ...ended, id: 'c9' }),
      bulk({ ...ended, id: 'c8', verb: 'dispatch', changed: 9 }),
      bulk({ ...ended, id: 'c7', verb: 'reschedule', changed: 8 }),
    ];
    const { user: hand } = renderRoutes(routes, address);
    const undo = await screen.findByLabelText('Undo: Assign driver', undefined, { timeout: 15_000 });
    expect(screen.getByText('8 changed')).toBeInTheDocument();
    expect(screen.queryByLabelText('Undo: Reschedule')).not.toBeInTheDocument();
    await expectAccessible(screen.getByLabelText('Bulk changes'));

    undoFailure = { message: 'Too busy' };
    await hand.click(undo);
    expect(await screen.findByText('Too busy')).toBeInTheDocument();
    undoFailure = undefined;
    looks = [{ ...over, verb: 'undo', total: 10, changed: 10 }];
    await hand.click(screen.getByLabelText('Undo: Assign driver'));
    expect(await screen.findByText('10 deliveries restored.')).toBeInTheDocument();
    expect(screen.queryByText('10 changed')).not.toBeInTheDocument();
    const undone = server.calls.filter(({ name }) => name === 'UndoBulkChange').map(({ variables }) => variables);
    expect(undone.map(({ changeId }) => changeId)).toEqual(['c9', 'c9']);

    expect(screen.getByLabelText('Undo: Change dispatch time')).toBeInTheDocument();
    await act(() => vi.advanceTimersByTimeAsync(70_000));
    expect(screen.queryByLabelText('Undo: Change dispatch time')).not.toBeInTheDocument();
    expect(screen.getByText('9 changed')).toBeInTheDocument();
  });

  it('offers to undo a change when the result that was opened from the list closes', async () => {
    const ended = { ...over, id: 'c7', changed: 5, finishedAt: new Date().toISOString() };
    under = [bulk(ended)];
    looks = [ended, { ...over, verb: 'undo', total: 5, changed: 5 }];
    const { user: hand } = renderRoutes(routes, address);
    await hand.click(await screen.findByText('Show', undefined, { timeout: 15_000 }));
    await within(dialog()).findByText('5 changed');
    await hand.click(screen.getByText('Close'));
    expect(await screen.findByText('5 deliveries changed.')).toBeInTheDocument();
    await hand.click(screen.getByText('Undo'));
    expect(await screen.findByText('5 deliveries restored.')).toBeInTheDocument();
    expect(server.calls.find(({ name }) => name === 'UndoBulkChange')?.variables).toMatchObject({ changeId: 'c7' });
  });

  it('keeps the progress of a change when a read fails, and follows it again', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
    const lookAgain = () => act(() => vi.advanceTimersByTimeAsync(2000));
    const asked = (name: string) => server.calls.filter((call) => call.name === name).length;
    under = [bulk({ done: 2 })];
    const { user: hand } = renderRoutes(routes, address);
    await screen.findByText('2 of 10 done', undefined, { timeout: 15_000 });
    failing = true;
    const before = asked('BulkChanges');
    await lookAgain();
    await waitFor(() => expect(asked('BulkChanges')).toBeGreaterThan(before));
    await lookAgain();
    expect(screen.getByText('2 of 10 done')).toBeInTheDocument();

    await hand.click(screen.getByText('Show'));
    expect(await within(dialog()).findByText('Retry')).toBeInTheDocument();
    failing = false;
    under = [bulk({ done: 4 })];
    await lookAgain();
    expect(await within(dialog()).findByText('4 of 10 done')).toBeInTheDocument();
    failing = true;
    await lookAgain();
    expect(await within(dialog()).findByText(/^Couldn't load the progress/)).toBeInTheDocument();
    expect(within(dialog()).getByText('4 of 10 done')).toBeInTheDocument();
    expect(within(dialog()).getByText('Stop')).toBeInTheDocument();
    failing = false;
    under = [bulk({ done: 6 })];
    await lookAgain();
    await waitFor(() => expect(screen.getAllByText('6 of 10 done')).toHaveLength(2));
    expect(screen.queryByText(/^Couldn't load the progress/)).not.toBeInTheDocument();
  });
});
