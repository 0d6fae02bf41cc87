import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeFilters } from '@/list/filters-codec';
import { expectAccessible } from '@/test/axe';
import { deliveryRow, lookedAtAll } from '@/test/deliveries';
import { foundDrivers } from '@/test/drivers';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { setTimeZone } from '@/test/time-zone';

type Variables = Record<string, unknown>;
interface Input {
  deliveryIds: string[];
  clientEventId: string;
  driverId: string | null;
}

interface MoveInput {
  changes: { deliveryId: string; version: number; scheduledatetime: string }[];
}

vi.setConfig({ testTimeout: 20_000 });
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/;
// The number of rows on a page. It is small because jsdom is slow with each row.
const ROWS = 4;

const routes = [
  { name: 'deliveries', path: '/deliveries', page: () => import('./deliveries-page') },
];
let server: FakeServer;
let total: number;
/** Fields that replace those of the first row of every page. */
let first: Variables;
let answerMoved: (input: MoveInput) => Answer;
let answerBulk: (input: Input) => Answer | Promise<Answer>;

function bulkAnswer(name: string, { deliveryIds }: Input, failing: readonly string[] = []): Answer {
  return {
    data: {
      [name]: deliveryIds.map((deliveryId) => {
        const ok = !failing.includes(deliveryId);
        const text = ok ? null : `${deliveryId} has used all attempts.`;
        return { __typename: 'BulkResult', deliveryId, ok, code: null, text };
      }),
    },
  };
}

function start(user: Variables = rosa) {
  return startFakeServer({
    user,
    operations: {
      DeliveriesPage: ({ page }) => {
        const { limit, offset } = page as { limit: number; offset: number };
        const size = limit === 100 ? limit : ROWS;
        const rows = Array.from({ length: Math.max(0, Math.min(size, total - offset)) }, (_, at) =>
          deliveryRow(1000 + offset + at, { deliverystatus: 'Undelivered', ...(at === 0 && first) }),
        );
        const count = { __typename: 'Count', total, exact: total < 10_000 };
        return { data: { deliveries: rows, deliveriesCount: count } };
      },
      RescheduleDeliveries: ({ input }) => answerBulk(input as Input),
      ChangeDispatchTimes: ({ input }) => answerMoved(input as MoveInput),
      AssignDriver: ({ input }) => answerBulk(input as Input),
      DriversLookup: () => foundDrivers(['DRV-014', 'Rico Santos']),
    },
  });
}

beforeEach(() => {
  lookedAtAll();
  total = 60;
  first = {};
  answerBulk = (input) => bulkAnswer('rescheduleDeliveries', input);
  server = start();
});

// Opens the list. Tests query it by label and text, because jsdom takes seconds to find roles in a whole list.
async function open(address = '/deliveries') {
  const view = renderRoutes(routes, address);
  await screen.findByText('DR-1000', undefined, { timeout: 15_000 });
  return view;
}

const box = (id: string) => screen.getByLabelText(`Select ${id}`);
const bar = () => screen.getByLabelText('Selected rows');
const noBar = () =>
  waitFor(() => expect(screen.queryByLabelText('Selected rows')).not.toBeInTheDocument());
const inBar = (text: string) => within(bar()).getByText(text);
const dialog = () => document.querySelector<HTMLElement>('[role="dialog"]') ?? document.body;
const sent = (name: string) =>
  server.calls.filter((call) => call.name === name).map(({ variables }) => variables.input as Input);

describe('selecting deliveries', () => {
  it('takes single rows and, with Shift, all between', async () => {
    const { user: hand } = await open();
    await hand.click(box('DR-1000'));
    expect(bar()).toHaveTextContent('1 selected');
    await hand.keyboard('{Shift>}');
    await hand.click(box('DR-1002'));
    await hand.keyboard('{/Shift}');
    expect(bar()).toHaveTextContent('3 selected');
    expect(screen.getByText('3 selected · 60 deliveries')).toHaveAttribute('role', 'status');
    const page = screen.getByLabelText('Select all rows on this page');
    expect(page).toBePartiallyChecked();
    await hand.click(page);
    expect(bar()).toHaveTextContent('4 selected');
    await expectAccessible();
    await hand.click(page);
    await noBar();
  });

  it('goes by keys', async () => {
    const { user: hand } = await open();
    await hand.keyboard('jxjj');
    await hand.keyboard('{Shift>}X{/Shift}');
    expect(bar()).toHaveTextContent('3 selected');
    await hand.keyboard('{Escape}');
    await noBar();
    expect(screen.getByLabelText('Deliveries')).toHaveFocus();
  });

  it('takes the page by a key, and everything that matches by the same key again', async () => {
    const { user: hand } = await open();
    await hand.keyboard('jx');
    await hand.keyboard('*');
    expect(bar()).toHaveTextContent('4 selected');
    await hand.keyboard('*');
    expect(bar()).toHaveTextContent('All 60 that match');
    await hand.keyboard('*');
    expect(bar()).toHaveTextContent('All 60 that match');
  });

  it('outlives the page and ends with the filters', async () => {
    const filter = { key: 'trucker', operator: 'equals' as const, values: [{ label: 'T', value: 'T' }] };
    const { user: hand } = await open(
      `/deliveries?${new URLSearchParams({ filters: encodeFilters([filter]) })}`,
    );
    await hand.click(box('DR-1001'));
    await hand.click(screen.getByLabelText('Next page'));
    await screen.findByText('DR-1025');
    expect(bar()).toHaveTextContent('1 selected');
    await hand.click(screen.getByText('Clear'));
    await noBar();
  });

  it('reaches everything that matches in a second step, and lets go of it with one row', async () => {
    total = 20_000;
    const { user: hand } = await open();
    await hand.click(box('DR-1000'));
    await hand.click(inBar('Select all that match'));
    expect(bar()).toHaveTextContent('All that match');
    total = 250;
    await hand.click(screen.getByLabelText('Next page'));
    await screen.findByText('DR-1025');
    expect(bar()).toHaveTextContent('All 250 that match');
    expect(screen.getByText('250 selected · 250 deliveries')).toBeInTheDocument();
    expect(box('DR-1025')).toBeChecked();
    expect(within(bar()).queryByText(/^Select/)).not.toBeInTheDocument();
    await hand.click(box('DR-1025'));
    expect(bar()).toHaveTextContent('3 selected');
    await hand.click(inBar('Select all 250 that match'));
    await hand.click(screen.getByLabelText('Clear the selection'));
    await noBar();
  });

  it('offers each action for the rows it fits only', async () => {
    first = { deliverystatus: 'Pending' };
    const { user: hand } = await open();
    await hand.click(box('DR-1000'));
    expect(inBar('Assign driver')).toBeInTheDocument();
    expect(within(bar()).queryByText(/Reschedule/)).not.toBeInTheDocument();
    await hand.click(box('DR-1001'));
    await hand.click(inBar('Reschedule 1 of 2'));
    expect(await screen.findByText('Reschedule 1 delivery', { selector: 'button' })).toBeInTheDocument();
  });

  it('offers no further attempt where none is left, and corrections to those who may', async () => {
    first = { attempt: 3 };
    const { user: hand } = await open();
    await hand.click(box('DR-1000'));
    expect(within(bar()).queryByText(/Reschedule/)).not.toBeInTheDocument();
  });

  it('leaves the driver of a completed delivery to those who may correct it', async () => {
    first = { deliverystatus: 'Complete_No_Variance' };
    start({ ...rosa, roles: ['dispatcher'] });
    const { user: hand } = await open();
    await hand.click(box('DR-1000'));
    expect(within(bar()).queryByText(/Assign driver/)).not.toBeInTheDocument();
    await hand.click(box('DR-1001'));
    expect(inBar('Assign driver 1 of 2')).toBeInTheDocument();
  });

  it('opens the actions by a key, and says which', async () => {
    const { user: hand } = await open();
    await hand.keyboard('jx');
    expect(screen.getByText('Press A for Assign driver, R for Reschedule.')).toHaveAttribute('aria-live', 'polite');
    await hand.keyboard('r');
    expect(await screen.findByText('Reschedule 1 delivery', { selector: 'button' })).toBeInTheDocument();
    await waitFor(() => expect(screen.getByLabelText('Month')).toHaveFocus());
  });

  it('has its bar before the rows, for keys and readers', async () => {
    const { user: hand } = await open();
    await hand.click(box('DR-1000'));
    const order = bar().compareDocumentPosition(screen.getByText('DR-1000'));
    expect(order & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  });

  it('is not offered to who may only look', async () => {
    start({ ...rosa, roles: ['viewer'] });
    await open();
    expect(document.querySelector('[type="checkbox"]')).toBeNull();
    expect(screen.queryByText('New delivery')).not.toBeInTheDocument();
  });
});

describe('rescheduling many', () => {
  async function ask(hand: Awaited<ReturnType<typeof open>>['user'], ...ids: string[]) {
    for (const id of ids) await hand.click(box(id));
    await hand.click(inBar('Reschedule'));
    const month = await screen.findByLabelText('Month');
    await hand.click(month);
    await hand.paste('2035-11-23');
    fireEvent.change(screen.getByLabelText('Time'), { target: { value: '09:30' } });
    fireEvent.change(screen.getByLabelText(/^Note/), { target: { value: 'Agreed by phone' } });
  }
  const submit = () => screen.getByText(/^Reschedule \d/, { selector: 'button' });

  it('sends one event and says that all are done', async () => {
    const { user: hand } = await open();
    await ask(hand, 'DR-1000', 'DR-1001');
    await expectAccessible(dialog());
    await hand.click(submit());
    expect(await screen.findByText('2 done')).toBeInTheDocument();
    expect(sent('RescheduleDeliveries')).toEqual([
      {
        deliveryIds: ['DR-1000', 'DR-1001'],
        // This is 9:30 in Manila.
        scheduledatetime: '2035-11-23T01:30:00.000Z',
        note: 'Agreed by phone',
        clientEventId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/),
      },
    ]);
    await hand.click(screen.getByText('Close'));
    await noBar();
  });

  it('tells what failed and why, tries those again as the same event, or selects them', async () => {
    const failing = ['DR-1001', 'DR-1002'];
    answerBulk = (input) => bulkAnswer('rescheduleDeliveries', input, failing);
    const { user: hand } = await open();
    await ask(hand, 'DR-1000', 'DR-1001', 'DR-1002');
    await hand.click(submit());
    expect(await screen.findByText('1 done, 2 failed')).toBeInTheDocument();
    const list = screen.getByLabelText('Failed');
    expect(list.querySelector('li')).toHaveTextContent(
      'DR-1001DR-1001 has used all attempts.',
    );
    await expectAccessible(dialog());
    failing.shift();
    await hand.click(screen.getByText('Retry'));
    expect(await screen.findByText('2 done, 1 failed')).toBeInTheDocument();
    const [first, second] = sent('RescheduleDeliveries');
    expect(second?.deliveryIds).toEqual(['DR-1001', 'DR-1002']);
    expect(second?.clientEventId).toBe(first?.clientEventId);
    expect(screen.getByText("Rows that weren't changed stay selected.")).toBeInTheDocument();
    await hand.click(screen.getByText('Close'));
    expect(bar()).toHaveTextContent('1 selected');
    expect(box('DR-1002')).toBeChecked();
  });

  it('keeps selected what it did not reach when it was stopped', async () => {
    total = 101;
    let answer = () => {};
    answerBulk = (input) =>
      new Promise((resolve) => {
        answer = () => resolve(bulkAnswer('rescheduleDeliveries', input));
      });
    const { user: hand } = await open('/deliveries?limit=100');
    await hand.click(screen.getByLabelText('Select all rows on this page'));
    await hand.click(screen.getByLabelText('Next page'));
    await screen.findByText('DR-1100');
    await ask(hand, 'DR-1100');
    await hand.click(submit());
    await hand.click(await screen.findByText('Stop'));
    answer();
    expect(await screen.findByText('100 done, 1 not changed')).toBeInTheDocument();
    expect(screen.getByText('Continue')).toBeInTheDocument();
    await expectAccessible(dialog());
    await hand.click(screen.getByText('Close'));
    expect(bar()).toHaveTextContent('1 selected');
    expect(box('DR-1100')).toBeChecked();
  });

  it('can be canceled before it starts', async () => {
    const { user: hand } = await open();
    await ask(hand, 'DR-1000');
    await hand.click(screen.getByText('Cancel'));
    expect(document.querySelector('[role="dialog"]')).toBeNull();
    expect(bar()).toHaveTextContent('1 selected');
    expect(sent('RescheduleDeliveries')).toEqual([]);
  });

  it('begins with the next working day, and takes no time in the past', async () => {
    const { user: hand } = await open();
    await hand.click(box('DR-1000'));
    await hand.click(inBar('Reschedule'));
    expect(await screen.findByLabelText('Time')).toHaveValue('09:00');
    await hand.click(screen.getByLabelText('Month'));
    await hand.paste('2020-01-05');
    await hand.click(submit());
    expect(await screen.findByText('Choose a time in the future')).toBeInTheDocument();
    expect(sent('RescheduleDeliveries')).toEqual([]);
  });

  it('keeps what was typed, and its event, when nothing was done', async () => {
    answerBulk = () => {
      throw new TypeError('lost');
    };
    const { user: hand } = await open();
    await ask(hand, 'DR-1000');
    await hand.click(submit());
    expect(await screen.findByText('An error has occurred')).toBeInTheDocument();
    expect(screen.getByLabelText(/^Note/)).toHaveValue('Agreed by phone');
    answerBulk = (input) => bulkAnswer('rescheduleDeliveries', input);
    await hand.click(submit());
    await screen.findByText('1 done');
    const [lost, again] = sent('RescheduleDeliveries');
    expect(again?.clientEventId).toBe(lost?.clientEventId);
  });

  it('is another event at another time', async () => {
    answerBulk = () => ({ errors: [{ message: 'Busy' }] });
    const { user: hand } = await open();
    await ask(hand, 'DR-1000');
    await hand.click(submit());
    await screen.findByText('Busy');
    fireEvent.change(screen.getByLabelText('Time'), { target: { value: '10:30' } });
    await hand.click(submit());
    await waitFor(() => expect(sent('RescheduleDeliveries')).toHaveLength(2));
    const [first, second] = sent('RescheduleDeliveries');
    expect(second?.clientEventId).not.toBe(first?.clientEventId);
  });
});

describe('changing the dispatch time', () => {
  it('puts off the pending ones, each as it was seen', async () => {
    first = { deliverystatus: 'Pending', version: 4 };
    answerMoved = ({ changes }) =>
      bulkAnswer('changeDispatchTimes', {
        deliveryIds: changes.map(({ deliveryId }) => deliveryId),
        clientEventId: '',
        driverId: null,
      });
    const { user: hand, auth } = await open();
    await hand.click(box('DR-1000'));
    await hand.click(box('DR-1001'));
    await hand.click(inBar('Change dispatch time 1 of 2'));
    const month = await screen.findByLabelText('Month');
    await hand.click(month);
    await hand.paste('2020-01-05');
    const submit = screen.getByText('Change 1 delivery', { selector: 'button' });
    await hand.click(submit);
    expect(await screen.findByText('Choose a time in the future')).toBeInTheDocument();
    await hand.click(month);
    await hand.paste('2035-11-23');
    fireEvent.change(screen.getByLabelText('Time'), { target: { value: '09:30' } });
    setTimeZone(auth, 'UTC');
    expect(screen.getByLabelText('Time')).toHaveValue('01:30');
    await expectAccessible(dialog());
    await hand.click(submit);
    expect(await screen.findByText('1 done')).toBeInTheDocument();
    expect(sent('ChangeDispatchTimes')).toEqual([
      {
        changes: [{ deliveryId: 'DR-1000', version: 4, scheduledatetime: '2035-11-23T01:30:00.000Z' }],
        undoId: expect.stringMatching(UUID),
      },
    ]);
  });
});

describe('assigning a driver', () => {
  it('gives them to a driver, or to nobody', async () => {
    answerBulk = (input) => bulkAnswer('assignDriver', input);
    const { user: hand } = await open();
    await hand.click(box('DR-1000'));
    await hand.click(inBar('Assign driver'));
    await hand.click(await screen.findByText('Assign 1 delivery'));
    expect(await screen.findByText('Choose a driver from the list')).toBeInTheDocument();
    fireEvent.change(within(dialog()).getByLabelText('Driver ID'), { target: { value: 'rico' } });
    // Typing a name selects no driver.
    await hand.click(screen.getByText('Assign 1 delivery'));
    expect(sent('AssignDriver')).toHaveLength(0);
    fireEvent.change(within(dialog()).getByLabelText('Driver ID'), { target: { value: 'rico s' } });
    const permitted = { key: 'status', operator: 'equals', values: ['active'] };
    await waitFor(() =>
      expect(server.calls.findLast(({ name }) => name === 'DriversLookup')?.variables).toMatchObject({
        byId: { where: [{ key: 'driverId', values: ['rico s'] }, permitted] },
        byName: { where: [{ key: 'name', values: ['rico s'] }, permitted] },
      }),
    );
    await hand.click(await screen.findByText('Rico Santos (DRV-014)'));
    await expectAccessible(dialog());
    await hand.click(screen.getByText('Assign 1 delivery'));
    await screen.findByText('1 done');
    await hand.click(screen.getByText('Close'));

    await hand.click(box('DR-1001'));
    await hand.click(inBar('Assign driver'));
    await hand.click(await screen.findByLabelText('Unassigned'));
    await hand.click(screen.getByText('Unassign 1 delivery'));
    await screen.findByText('1 done');
    expect(sent('AssignDriver')).toEqual([
      { deliveryIds: ['DR-1000'], driverId: 'DRV-014', undoId: expect.stringMatching(UUID) },
      { deliveryIds: ['DR-1001'], driverId: null, undoId: expect.stringMatching(UUID) },
    ]);
  });

  it('goes on when the window becomes narrow', async () => {
    const { matchMedia } = window;
    const listeners = new Set<() => void>();
    let isNarrow = false;
    window.matchMedia = (query) =>
      ({
        ...matchMedia(query),
        matches: isNarrow && query.includes('767px'),
        addEventListener: (_: string, listener: () => void) => listeners.add(listener),
        removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
      }) as unknown as MediaQueryList;
    const { user: hand } = await open();
    await hand.click(box('DR-1000'));
    await hand.click(inBar('Assign driver'));
    fireEvent.change(await within(dialog()).findByLabelText('Driver ID'), { target: { value: 'rico' } });
    isNarrow = true;
    act(() => listeners.forEach((listener) => listener()));
    expect(within(dialog()).getByLabelText('Driver ID')).toHaveValue('rico');
    await hand.click(within(dialog()).getByText('Cancel'));
    expect(bar()).toHaveTextContent('1 selected');
    expect(box('DR-1000')).toBeChecked();
    await hand.click(screen.getByText('Done'));
    await noBar();
    expect(screen.getByText('Select')).toBeInTheDocument();
  });
});
