import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeFilters } from '@/list/filters-codec';
import { expectAccessible } from '@/test/axe';
import { endpoint, letterGroup, letterRow } from '@/test/dead-letters';
import { openDeadLettersPage, startDeadLettersPage, toFixTab } from '@/test/dead-letters-page';
// Loaded up front, so that no test waits for a lazy import.
import './dead-letters-page';

let answers: ReturnType<typeof startDeadLettersPage>['answers'];
let sent: ReturnType<typeof startDeadLettersPage>['sent'];

beforeEach(() => {
  ({ answers, sent } = startDeadLettersPage());
});

afterEach(() => {
  vi.useRealTimers();
});

describe('messages to fix', () => {
  it('are grouped by error, with how many, since when and what comes next', async () => {
    await openDeadLettersPage();
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
    const { user } = await openDeadLettersPage();
    await user.click(await screen.findByRole('button', { name: 'Resend 11' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Resend messages' }));
    expect(await dialog.findByText(/11 messages will be sent again/)).toBeInTheDocument();
    await expectAccessible();
    answers.isStartLost = true;
    await user.click(dialog.getByRole('button', { name: 'Resend 11' }));
    await dialog.findByRole('alert');
    answers.isStartLost = false;
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
    answers.groups = [letterGroup('f1', { endpointId: null, endpointName: null }), letterGroup('f1'), letterGroup('f1', toNew)];
    const { user } = await openDeadLettersPage();
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
    expect(screen.getByRole('button', { name: 'Change filter: Status is Failed' })).toBeInTheDocument();
    await waitFor(() =>
      expect(sent('DeadLettersToFix').at(-1)?.variables).toMatchObject({
        where: [
          { key: 'errorFingerprint', operator: 'equals', values: ['f1'] },
          { key: 'endpointId', operator: 'equals', values: ['e2'] },
          ofState,
        ],
      }),
    );
  });

  it('are listed for one error, however long it is, and the filter says which', async () => {
    const errorText = `422: ${'Reference Doc is unknown. '.repeat(20)}`;
    answers.groups = [letterGroup('f3', { errorText })];
    const { user } = await openDeadLettersPage();
    await user.click(await screen.findByRole('link', { name: errorText.trim() }));
    expect(await screen.findByRole('button', { name: /^Change filter: .*422: Reference Doc/ })).toBeInTheDocument();
    await waitFor(() =>
      expect(sent('DeadLettersToFix').at(-1)?.variables).toMatchObject({
        where: [
          { key: 'errorFingerprint', operator: 'equals', values: ['f3'] },
          { key: 'endpointId', operator: 'equals', values: ['e1'] },
          { key: 'state', operator: 'equals', values: ['failed'] },
        ],
      }),
    );
  });

  it('are grouped among those that match, and resent so', async () => {
    const { user, address } = await openDeadLettersPage();
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
    answers.hasMore = true;
    const { unmount } = await openDeadLettersPage();
    expect(await screen.findByText(/^Only the 2 largest groups are shown/)).toBeInTheDocument();
    await expectAccessible();
    unmount();
    [answers.groups, answers.hasMore] = [[], false];
    const filters = encodeFilters([
      { key: 'deliveryId', operator: 'contains', values: [{ label: 'X', value: 'X' }] },
    ]);
    const { user } = await openDeadLettersPage(`?view=groups&filters=${encodeURIComponent(filters)}`);
    expect(await screen.findByRole('heading', { name: 'No messages match' })).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Clear' }));
    expect(await screen.findByRole('heading', { name: 'Nothing to fix' })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Filter' })).toHaveFocus();
  });

  it('are discarded only with a reason', async () => {
    const { user } = await openDeadLettersPage();
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

  it('are counted again after a failure, and discarded for the reason that was entered last', async () => {
    const { user } = await openDeadLettersPage();
    answers.isDiscardLost = true;
    await user.click(await screen.findByRole('button', { name: /Discard messages with the error 422/ }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Discard messages' }));
    await dialog.findByRole('alert');
    expect(dialog.queryByText('Counting messages...')).not.toBeInTheDocument();
    await expectAccessible();
    answers.isDiscardLost = false;
    await user.click(dialog.getByRole('button', { name: 'Retry' }));
    const discard = await dialog.findByRole('button', { name: 'Discard 2' });
    const reason = dialog.getByRole('textbox', { name: 'Reason' });
    await user.type(reason, 'Test');
    answers.isDiscardLost = true;
    await user.click(discard);
    await dialog.findByRole('alert');
    answers.isDiscardLost = false;
    await user.type(reason, ' data');
    await user.click(discard);
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    // The server ignores a job with an id that it has.
    const starts = sent('DiscardDeadLetters').slice(2).map(({ variables }) => variables);
    expect(starts.map((it) => it.reason)).toEqual(['Test', 'Test data']);
    expect(new Set(starts.map(({ input }) => (input as { jobId: string }).jobId)).size).toBe(2);
  });

  it('say that there are none, or that they cannot be read', async () => {
    answers.groups = [];
    const { unmount } = await openDeadLettersPage();
    expect(await screen.findByRole('heading', { name: 'Nothing to fix' })).toBeInTheDocument();
    await expectAccessible();
    unmount();
    answers.groups = undefined;
    await openDeadLettersPage();
    expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeInTheDocument();
    await expectAccessible();
  });

  it('stay, and are said to be old, when they cannot be read again', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
    await openDeadLettersPage();
    await screen.findByRole('button', { name: 'Resend 11' });
    answers.groups = undefined;
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    expect(await screen.findByText("Couldn't refresh. What you see may be out of date.")).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Resend 11' })).toBeInTheDocument();
    answers.groups = [letterGroup('f1', { count: 12 })];
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    expect(await screen.findByRole('button', { name: 'Resend 12' })).toBeInTheDocument();
    expect(screen.queryByText(/^Couldn't refresh/)).not.toBeInTheDocument();
  });

  it.each(['?view=groups', '?view=list', '?tab=sent'])('are counted again while the page is open at %s', async (search) => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
    await openDeadLettersPage(search);
    await waitFor(() => expect(toFixTab()).toHaveTextContent('12'));
    answers.toFix = 3;
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    await waitFor(() => expect(toFixTab()).toHaveTextContent(/fix\s*3$/));
  });

  it.each(['?view=groups', '?view=list'])('say when an endpoint pauses while the page is open at %s', async (search) => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
    await openDeadLettersPage(search);
    await waitFor(() => expect(sent('OutboundEndpoints')).toHaveLength(1));
    answers.endpoints = [endpoint('e1', { pausedAt: '2026-11-20T08:00:00Z', failuresInRow: 50 })];
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    expect(await screen.findByText('ERP is paused')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Resume' })).toBeInTheDocument();
    await expectAccessible();
  });

  it('say that their endpoint is off', async () => {
    answers.groups = [letterGroup('f1', { endpointOff: true })];
    await openDeadLettersPage();
    expect(await screen.findByText('Endpoint is off')).toBeInTheDocument();
  });

  it('can be listed one by one, with a selection to resend', async () => {
    const { user } = await openDeadLettersPage('?view=list');
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
  const { user, address } = await openDeadLettersPage();
  await user.type(screen.getByRole('textbox', { name: 'Delivery Doc' }), 'DR-1{Enter}');
  await waitFor(() =>
    expect(sent('DeadLettersToFix').at(-1)?.variables).toMatchObject({
      where: [{ key: 'deliveryId', operator: 'contains', values: ['DR-1'] }],
    }),
  );
  expect(address()).toMatch(/^\/admin\/settings\/dead-letters\?filters=/);
});

it('is filtered by Failed At Date, Method and Delivery Doc, and what was sent by Sent At Date too', async () => {
  const { user, unmount } = await openDeadLettersPage('?view=list');
  const offered = async () => {
    await user.click(await screen.findByRole('button', { name: 'Filter' }));
    const menu = within(await screen.findByRole('dialog', { name: 'Filter' }));
    return menu.getAllByRole('button').map(({ textContent }) => textContent);
  };
  expect(await offered()).toEqual(
    expect.arrayContaining(['Failed At Date', 'Method', 'Delivery Doc']),
  );
  unmount();
  await openDeadLettersPage('?tab=sent');
  expect(await offered()).toEqual(expect.arrayContaining(['Sent At Date', 'Failed At Date', 'Method']));
});

it('resends what matches the filter at the time of the click, not at the time it was set', async () => {
  // In Manila, it is 11:59 PM.
  vi.useFakeTimers({ now: new Date('2026-11-20T15:59:00Z'), toFake: ['Date'] });
  const today = { label: 'today', value: 'today' };
  const filters = encodeFilters([{ key: 'createdAt', operator: 'inDateRange', values: [today] }]);
  const { user } = await openDeadLettersPage(`?view=list&filters=${encodeURIComponent(filters)}`);
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
  answers.sentRows = [letterRow('reported', once), letterRow('prompt', { ...once, neverFailed: true })];
  await openDeadLettersPage('?tab=sent');
  const row = async (name: string) => (await screen.findByRole('link', { name })).closest('tr');
  expect(await row('DR-reported')).not.toHaveTextContent('Never failed');
  expect(await row('DR-prompt')).toHaveTextContent('Never failed');
  // Most sent messages never failed, so an order by that time means nothing.
  expect(screen.queryByRole('button', { name: /Failed At Date/ })).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: /^Sent At Date/ })).toBeInTheDocument();
  await expectAccessible();
});
