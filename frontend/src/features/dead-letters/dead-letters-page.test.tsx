import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { encodeFilters } from '@/list/filters-codec';
import { expectAccessible } from '@/test/axe';
import { endpoint, letterGroup, letterJob, letterRow } from '@/test/dead-letters';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { FakeSocket } from '@/test/fake-socket';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './dead-letters-page';

const count = (total: number) => ({ __typename: 'Count', total, exact: true });

let server: FakeServer;
let toFix: number;
let groups: object[] | undefined;
let hasMore: boolean;
let jobs: object[] | undefined;
let endpoints: object[];
let rows: object[];
let sentRows: object[];
let isStartLost: boolean;

beforeEach(() => {
  groups = [
    letterGroup('f1'),
    letterGroup('f2', {
      errorText: 'The receiver did not answer in 30 s',
      state: 'scheduled_retry',
      count: 1,
      nextAttemptAt: '2026-11-20T08:00:00Z',
    }),
  ];
  toFix = 12;
  hasMore = false;
  isStartLost = false;
  jobs = [];
  endpoints = [endpoint('e1')];
  rows = [letterRow('1'), letterRow('2', { method: 'form', deliveryId: '' })];
  sentRows = [letterRow('9', { state: 'success', processedAt: '2026-11-20T09:00:00Z' })];
  server = startFakeServer({
    user: rosa,
    operations: {
      DeadLetterGroups: () =>
        groups
          ? { data: { deadLetterGroups: groups, deadLetterGroupsCount: { ...count(groups.length), exact: !hasMore } } }
          : { errors: [{ message: 'Something went wrong', extensions: { code: 'INTERNAL' } }] },
      DeadLetterCounts: () => ({ data: { failed: count(toFix), sent: count(1208) } }),
      DeadLettersToFixCount: () => ({ data: { deliveryDeadLettersCount: count(12) } }),
      DeadLetterJobs: () => (jobs ? { data: { deadLetterJobs: jobs } } : { errors: [{ message: 'Too busy' }] }),
      OutboundEndpoints: () => ({
        data: { outboundEndpoints: endpoints, sources: [{ __typename: 'Source', id: 's1', name: 'Web' }] },
      }),
      DeadLettersToFix: () => ({
        data: { deliveryDeadLetters: rows, deliveryDeadLettersCount: count(rows.length) },
      }),
      DeadLettersSent: () => ({
        data: {
          deliveryDeadLetters: sentRows,
          deliveryDeadLettersCount: count(sentRows.length),
        },
      }),
      ResendDeadLetters: () => {
        if (isStartLost) throw new TypeError('lost');
        return { data: { resendDeadLetters: { __typename: 'DeadLetterJob', id: 'j1', total: 11, state: 'waiting' } } };
      },
      DiscardDeadLetters: () => ({
        data: { discardDeadLetters: { __typename: 'DeadLetterJob', id: 'j2', total: 2, state: 'waiting' } },
      }),
      CancelDeadLetterJob: () => ({
        data: {
          cancelDeadLetterJob: {
            __typename: 'DeadLetterJob',
            id: 'j1',
            state: 'running',
            cancelRequested: true,
          },
        },
      }),
      DeadLetterProducers: () => ({ data: { deadLetterProducers: [] } }),
    },
  });
});

afterEach(() => {
  vi.useRealTimers();
});

async function open(search = '') {
  const view = renderRoutes(declarations, `/admin/settings/dead-letters${search}`);
  await screen.findByRole('heading', { level: 1, name: 'Dead Letters' });
  return view;
}

const sent = (name: string) => server.calls.filter((call) => call.name === name);
const toFixTab = () =>
  within(screen.getByRole('navigation', { name: 'Dead letters' })).getByRole('link', { name: /To fix/ });

describe('messages to fix', () => {
  it('are grouped by error, with how many, since when and what comes next', async () => {
    await open();
    const list = within(await screen.findByRole('list', { name: 'Errors' }));
    const items = list.getAllByRole('listitem');
    expect(items[0]).toHaveTextContent(/422: No invoice SI-1\s*11.*Failed.*to ERP.*First seen.*Last seen/);
    expect(items[1]).toHaveTextContent(/did not answer in 30 s\s*1.*Retry scheduled.*Next attempt/);
    const tabs = within(screen.getByRole('navigation', { name: 'Dead letters' }));
    expect(tabs.getByRole('link', { name: /To fix/ })).toHaveTextContent('12');
    expect(tabs.getByRole('link', { name: /Sent/ })).toHaveTextContent('1,208');
    const menu = within(screen.getByRole('navigation', { name: 'Settings' }));
    expect(await menu.findByText('12')).toBeInTheDocument();
    await expectAccessible();
  });

  it('of a group are counted first and then resent in the background, once if the answer is lost', async () => {
    const { user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Resend 11' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Resend messages' }));
    expect(await dialog.findByText(/11 messages will be sent again/)).toBeInTheDocument();
    await expectAccessible();
    isStartLost = true;
    await user.click(dialog.getByRole('button', { name: 'Resend 11' }));
    await dialog.findByRole('alert');
    isStartLost = false;
    await user.click(dialog.getByRole('button', { name: 'Resend 11' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    const inputs = sent('ResendDeadLetters').map(({ variables }) => variables.input) as {
      dryRun: boolean;
      jobId: string;
    }[];
    expect(inputs.map(({ dryRun }) => dryRun)).toEqual([true, false, false]);
    expect(inputs[2]).toEqual(inputs[1]);
    expect(inputs[1]).toMatchObject({
      where: [
        { key: 'errorFingerprint', operator: 'equals', values: ['f1'] },
        { key: 'endpointId', operator: 'equals', values: ['e1'] },
        { key: 'state', operator: 'equals', values: ['failed'] },
      ],
    });
  });

  it('of one error go to two endpoints in two groups, each with its own actions and list', async () => {
    const toNew = { endpointId: 'e2', endpointName: 'New ERP', count: 3 };
    groups = [letterGroup('f1', { endpointId: null, endpointName: null }), letterGroup('f1'), letterGroup('f1', toNew)];
    const { user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Resend 3' }));
    const ofError = { key: 'errorFingerprint', operator: 'equals', values: ['f1'] };
    const ofState = { key: 'state', operator: 'equals', values: ['failed'] };
    const resent = () => sent('ResendDeadLetters').at(-1)?.variables.input as { where: object[] } | undefined;
    await waitFor(() =>
      expect(resent()?.where).toEqual([ofError, { key: 'endpointId', operator: 'equals', values: ['e2'] }, ofState]),
    );
    await user.click(await screen.findByRole('button', { name: 'Cancel' }));
    await user.click(screen.getAllByRole('button', { name: 'Resend 11' })[0] as HTMLElement);
    await waitFor(() => expect(resent()?.where).toEqual([ofError, ofState]));
    await user.click(await screen.findByRole('button', { name: 'Cancel' }));
    const links = within(screen.getByRole('list', { name: 'Errors' })).getAllByRole('link');
    await user.click(links[2] as HTMLElement);
    expect(await screen.findByRole('button', { name: /^Change filter: .*New ERP/ })).toBeInTheDocument();
    await waitFor(() =>
      expect(sent('DeadLettersToFix').at(-1)?.variables).toMatchObject({
        where: [
          { key: 'errorFingerprint', operator: 'equals', values: ['f1'] },
          { key: 'endpointId', operator: 'equals', values: ['e2'] },
        ],
      }),
    );
  });

  it('are listed for one error, however long it is, and the filter says which', async () => {
    const errorText = `422: ${'Reference Doc is unknown. '.repeat(20)}`;
    groups = [letterGroup('f3', { errorText })];
    const { user } = await open();
    await user.click(await screen.findByRole('link', { name: errorText.trim() }));
    expect(await screen.findByRole('button', { name: /^Change filter: .*422: Reference Doc/ })).toBeInTheDocument();
    await waitFor(() =>
      expect(sent('DeadLettersToFix').at(-1)?.variables).toMatchObject({
        where: [
          { key: 'errorFingerprint', operator: 'equals', values: ['f3'] },
          { key: 'endpointId', operator: 'equals', values: ['e1'] },
        ],
      }),
    );
  });

  it('are grouped among those that match, and resent so', async () => {
    const { user, address } = await open();
    await user.click(await screen.findByRole('button', { name: 'Filter' }));
    const menu = within(await screen.findByRole('dialog', { name: 'Filter' }));
    await user.click(menu.getByRole('button', { name: 'Method' }));
    await user.click(await menu.findByRole('checkbox', { name: 'Status' }));
    await user.click(menu.getByRole('button', { name: 'Apply' }));
    const where = [{ key: 'method', operator: 'equals', values: ['status'] }];
    await waitFor(() => expect(sent('DeadLetterGroups').at(-1)?.variables).toEqual({ where }));
    expect(address()).toMatch(/view=groups/);
    await expectAccessible();
    await user.click(await screen.findByRole('button', { name: 'Resend 11' }));
    await waitFor(() =>
      expect(sent('ResendDeadLetters').at(-1)?.variables).toMatchObject({
        input: {
          where: [
            ...where,
            { key: 'errorFingerprint', operator: 'equals', values: ['f1'] },
            { key: 'endpointId', operator: 'equals', values: ['e1'] },
            { key: 'state', operator: 'equals', values: ['failed'] },
          ],
        },
      }),
    );
  });

  it('say when there are more groups than are shown, and when no group matches', async () => {
    hasMore = true;
    const { unmount } = await open();
    expect(await screen.findByText(/^Only the 2 largest groups are shown/)).toBeInTheDocument();
    await expectAccessible();
    unmount();
    [groups, hasMore] = [[], false];
    const filters = encodeFilters([
      { key: 'deliveryId', operator: 'contains', values: [{ label: 'X', value: 'X' }] },
    ]);
    const { user } = await open(`?view=groups&filters=${encodeURIComponent(filters)}`);
    expect(await screen.findByRole('heading', { name: 'No messages match' })).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Clear' }));
    expect(await screen.findByRole('heading', { name: 'Nothing to fix' })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Filter' })).toHaveFocus();
  });

  it('are discarded only with a reason', async () => {
    const { user } = await open();
    await user.click(await screen.findByRole('button', { name: /Discard messages with the error 422/ }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Discard messages' }));
    await user.click(await dialog.findByRole('button', { name: 'Discard 2' }));
    expect(dialog.getByText('Enter a reason')).toBeInTheDocument();
    await waitFor(() => expect(dialog.getByRole('textbox', { name: 'Reason' })).toHaveFocus());
    expect(sent('DiscardDeadLetters')).toHaveLength(1);
    // Text that is too long for the server is not cut.
    const reason = 'Test data '.repeat(60);
    await user.paste(reason);
    await user.click(dialog.getByRole('button', { name: 'Discard 2' }));
    await waitFor(() =>
      expect(sent('DiscardDeadLetters').at(-1)?.variables).toMatchObject({
        reason,
        input: { dryRun: false },
      }),
    );
  });

  it('say that there are none, or that they cannot be read', async () => {
    groups = [];
    const { unmount } = await open();
    expect(await screen.findByRole('heading', { name: 'Nothing to fix' })).toBeInTheDocument();
    await expectAccessible();
    unmount();
    groups = undefined;
    await open();
    expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeInTheDocument();
    await expectAccessible();
  });

  it('stay, and are said to be old, when they cannot be read again', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
    await open();
    await screen.findByRole('button', { name: 'Resend 11' });
    groups = undefined;
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    expect(await screen.findByText("Couldn't refresh. What you see may be out of date.")).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Resend 11' })).toBeInTheDocument();
    groups = [letterGroup('f1', { count: 12 })];
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    expect(await screen.findByRole('button', { name: 'Resend 12' })).toBeInTheDocument();
    expect(screen.queryByText(/^Couldn't refresh/)).not.toBeInTheDocument();
  });

  it.each(['?view=groups', '?view=list', '?tab=sent'])('are counted again while the page is open at %s', async (search) => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
    await open(search);
    await waitFor(() => expect(toFixTab()).toHaveTextContent('12'));
    toFix = 3;
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    await waitFor(() => expect(toFixTab()).toHaveTextContent(/fix\s*3$/));
  });

  it.each(['?view=groups', '?view=list'])('say when an endpoint pauses while the page is open at %s', async (search) => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
    await open(search);
    await waitFor(() => expect(sent('OutboundEndpoints')).toHaveLength(1));
    endpoints = [endpoint('e1', { pausedAt: '2026-11-20T08:00:00Z', failuresInRow: 50 })];
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    expect(await screen.findByText('ERP is paused')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Resume' })).toBeInTheDocument();
    await expectAccessible();
  });

  it('say that their endpoint is off', async () => {
    groups = [letterGroup('f1', { endpointOff: true })];
    await open();
    expect(await screen.findByText('Endpoint is off')).toBeInTheDocument();
  });

  it('can be listed one by one, with a selection to resend', async () => {
    const { user } = await open('?view=list');
    expect(await screen.findByRole('link', { name: 'DR-1' })).toHaveAttribute(
      'href',
      '/admin/settings/dead-letter/1',
    );
    await expectAccessible();
    await user.click(screen.getAllByRole('checkbox')[1] as HTMLElement);
    const bar = within(await screen.findByRole('group', { name: /Selection|selected/i }));
    await user.click(bar.getByRole('button', { name: /Resend/ }));
    await screen.findByRole('dialog', { name: 'Resend messages' });
    await waitFor(() =>
      expect(sent('ResendDeadLetters').at(-1)?.variables).toMatchObject({
        input: { ids: ['1'], dryRun: true },
      }),
    );
  });
});

it('is found by delivery from the top bar', async () => {
  const { user, address } = await open();
  await user.type(screen.getByRole('textbox', { name: 'Delivery Doc' }), 'DR-1{Enter}');
  await waitFor(() =>
    expect(sent('DeadLettersToFix').at(-1)?.variables).toMatchObject({
      where: [{ key: 'deliveryId', operator: 'contains', values: ['DR-1'] }],
    }),
  );
  expect(address()).toMatch(/^\/admin\/settings\/dead-letters\?filters=/);
});

it('is filtered by Failed At Date, Method and Delivery Doc, and what was sent by Sent At Date too', async () => {
  const { user, unmount } = await open('?view=list');
  const offered = async () => {
    await user.click(await screen.findByRole('button', { name: 'Filter' }));
    const menu = within(await screen.findByRole('dialog', { name: 'Filter' }));
    return menu.getAllByRole('button').map(({ textContent }) => textContent);
  };
  expect(await offered()).toEqual(
    expect.arrayContaining(['Failed At Date', 'Method', 'Delivery Doc']),
  );
  unmount();
  await open('?tab=sent');
  expect(await offered()).toEqual(expect.arrayContaining(['Sent At Date', 'Failed At Date', 'Method']));
});

describe('jobs', () => {
  it('leave a receipt, and one that runs can be canceled', async () => {
    jobs = [letterJob('j1', { state: 'running', done: 500, finishedAt: null }), letterJob('j0')];
    const { user } = await open();
    const panel = within(await screen.findByRole('region', { name: 'Resends and discards' }));
    expect(panel.getByText('1,200 of 1,204 scheduled to be sent again')).toBeInTheDocument();
    expect(panel.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '42');
    await expectAccessible();
    await user.click(panel.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(sent('CancelDeadLetterJob')[0]?.variables).toEqual({ id: 'j1' }));
  });

  it('stay when they cannot be read again, and are read again soon', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
    const running = { state: 'running', finishedAt: null };
    jobs = [letterJob('j1', { ...running, done: 500 })];
    const { user } = await open();
    const panel = () => within(screen.getByRole('region', { name: 'Resends and discards' }));
    await screen.findByRole('region', { name: 'Resends and discards' });
    jobs = undefined;
    await user.click(panel().getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(sent('DeadLetterJobs').length).toBeGreaterThan(1));
    await act(() => vi.advanceTimersByTimeAsync(5000));
    expect(panel().getByRole('progressbar')).toHaveAttribute('aria-valuenow', '42');
    jobs = [letterJob('j1', { ...running, done: 903 })];
    await act(() => vi.advanceTimersByTimeAsync(5000));
    await waitFor(() => expect(panel().getByRole('progressbar')).toHaveAttribute('aria-valuenow', '75'));
  });

  it.each(['?view=groups', '?view=list'])('update the number of messages to fix when they end, at %s', async (search) => {
    FakeSocket.install();
    jobs = [letterJob('j1', { action: 'discard', state: 'running', done: 5, finishedAt: null })];
    await open(search);
    await screen.findByRole('progressbar');
    await waitFor(() => expect(FakeSocket.last().open('deadLetterJobChanged')).toHaveLength(1));
    await waitFor(() => expect(toFixTab()).toHaveTextContent('12'));
    [toFix, jobs] = [3, [letterJob('j1', { action: 'discard' })]];
    const change = { __typename: 'DeadLetterJob', id: 'j1', state: 'done', done: 1204, changed: 1200 };
    act(() => FakeSocket.last().push({ deadLetterJobChanged: change }));
    // Sooner than the counts are read again anyway.
    await waitFor(() => expect(toFixTab()).toHaveTextContent(/fix\s*3$/), { timeout: 5000 });
  });

  it('show the newest one above the list, from which all that match are resent', async () => {
    const { user } = await open('?view=list');
    await user.click(await screen.findByRole('button', { name: 'Resend all matching' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Resend messages' }));
    await dialog.findByText(/11 messages will be sent again/);
    jobs = [letterJob('j1', { state: 'running', done: 500, finishedAt: null }), letterJob('j0')];
    await user.click(dialog.getByRole('button', { name: 'Resend 11' }));
    const panel = within(await screen.findByRole('region', { name: 'Resends and discards' }));
    expect(panel.getAllByRole('listitem')).toHaveLength(1);
    await user.click(panel.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(sent('CancelDeadLetterJob')[0]?.variables).toEqual({ id: 'j1' }));
    await expectAccessible();
    await user.click(panel.getByRole('button', { name: 'Show all' }));
    expect(panel.getAllByRole('listitem')).toHaveLength(2);
  });
});

it('resends what matches the filter at the time of the click, not at the time it was set', async () => {
  // In Manila, it is 11:59 PM.
  vi.useFakeTimers({ now: new Date('2026-11-20T15:59:00Z'), toFake: ['Date'] });
  const today = { label: 'today', value: 'today' };
  const filters = encodeFilters([{ key: 'createdAt', operator: 'inDateRange', values: [today] }]);
  const { user } = await open(`?view=list&filters=${encodeURIComponent(filters)}`);
  const resend = await screen.findByRole('button', { name: 'Resend all matching' });
  vi.setSystemTime(new Date('2026-11-20T16:01:00Z'));
  await user.click(resend);
  await screen.findByRole('dialog', { name: 'Resend messages' });
  await waitFor(() => expect(sent('ResendDeadLetters')).toHaveLength(1));
  expect(sent('ResendDeadLetters')[0]?.variables).toMatchObject({
    input: { where: [{ values: ['2026-11-20T16:00:00.000Z', '2026-11-21T16:00:00.000Z'] }] },
  });
});

it('lists what was sent, and when it failed if it ever did', async () => {
  const once = { state: 'success', attempts: 1, processedAt: '2026-11-20T09:00:00Z' };
  sentRows = [letterRow('reported', once), letterRow('prompt', { ...once, neverFailed: true })];
  await open('?tab=sent');
  const row = async (name: string) => (await screen.findByRole('link', { name })).closest('tr');
  expect(await row('DR-reported')).not.toHaveTextContent('Never failed');
  expect(await row('DR-prompt')).toHaveTextContent('Never failed');
  // Most sent messages never failed, so an order by that time means nothing.
  expect(screen.queryByRole('button', { name: /Failed At Date/ })).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: /^Sent At Date/ })).toBeInTheDocument();
  await expectAccessible();
});
