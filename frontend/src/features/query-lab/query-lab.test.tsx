import { EditorView } from '@codemirror/view';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import type { AnalyticsQuery } from '@/domain/analytics/query';
import { analyticsJson, analyticsPaths } from '@/test/analytics';
import { expectAccessible } from '@/test/axe';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { draftOf, firstDraft, formatQuery, queryOf } from './draft';
import * as results from './results';
// Loaded up front, so that no test waits for a lazy import.
import './query-lab-page';
import './json-field';
import '@/ui/charts/plot';

let asked: AnalyticsQuery[];
let labHeaders: (string | null)[];
let answer: () => Record<string, string | null>[] | Response | Promise<Response>;

beforeEach(() => {
  answer = () => [
    { 'Delivery.scheduledatetime.day': '2026-11-16T00:00:00.000', 'Delivery.deliverystatus': 'Rejected', 'Delivery.count': '10' },
    { 'Delivery.scheduledatetime.day': '2026-11-17T00:00:00.000', 'Delivery.deliverystatus': 'Pending', 'Delivery.count': '1234' },
  ];
  const analytics = analyticsPaths(() => answer() as Response);
  ({ asked, labHeaders } = analytics);
  startFakeServer({ user: rosa, paths: analytics.paths });
});

afterEach(() => void vi.useRealTimers());

async function open() {
  const view = renderRoutes(declarations, '/query-lab');
  await screen.findByRole('region', { name: 'Measures' });
  return view;
}
/** Stores a query as the only one that is open. */
function store(query: object) {
  const tabs = [{ id: 'q1', mode: 'builder', text: formatQuery(query) }];
  localStorage.setItem('waybill.query-lab.u1', JSON.stringify({ tabs, current: 'q1', history: [] }));
}
/** Returns the JSON editor, which is in a shadow root. */
async function findEditor(container: HTMLElement) {
  const content = await waitFor(() => {
    const host = [...container.querySelectorAll('div')].find(({ shadowRoot }) => shadowRoot);
    return host?.shadowRoot?.querySelector<HTMLElement>('.cm-content') ?? Promise.reject(new Error('no editor yet'));
  });
  return { content, editor: EditorView.findFromDOM(content) };
}
const run = () => screen.getByRole('button', { name: /^Run query/ });
const result = () => within(screen.getByRole('table', { name: 'Result' }));

describe('the query lab', () => {
  it('runs what the builder says, and shows it as table, chart and statement', async () => {
    const { user } = await open();
    expect(screen.getByRole('heading', { name: 'Run the query to see its result' })).toBeInTheDocument();
    await expectAccessible();
    await user.click(run());
    expect(await screen.findByText(/^2 rows, \d+\.\d\d s, as of/)).toBeInTheDocument();
    expect(asked).toEqual([
      {
        measures: ['Delivery.count'],
        dimensions: ['Delivery.deliverystatus'],
        timeDimensions: [
          { dimension: 'Delivery.scheduledatetime', granularity: 'day', dateRange: 'from 6 days ago to now' },
        ],
        limit: 1000,
        timezone: 'Asia/Manila',
      },
    ]);
    expect(labHeaders).toEqual(['1']);
    expect(result().getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
      'Dispatch Date and Time (day)',
      'Delivery Status',
      'Deliveries',
    ]);
    expect(result().getByRole('row', { name: /Nov 17/ })).toHaveTextContent('Nov 17Pending1,234');
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'SQL' }));
    expect(await screen.findByText(/SELECT count/)).toBeInTheDocument();
    expect(screen.getByText(/Reads hourly roll-ups/)).toBeInTheDocument();
    expect(screen.getByText('Pending')).toBeInTheDocument();
    await expectAccessible();
  });

  it('is built from the members there are, with filters of the lists', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Add to Dimensions' }));
    await user.click(await screen.findByRole('menuitem', { name: /^Trucker/ }));
    await user.click(screen.getByRole('button', { name: 'Remove Delivery Status' }));
    // The next member of the same part.
    expect(screen.getByRole('button', { name: 'Remove Trucker' })).toHaveFocus();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Granularity' }), 'Week');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Range' }), 'This month');
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    await user.click(await screen.findByRole('button', { name: 'Delivery Status' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Condition' }), 'is not');
    await user.type(screen.getByRole('combobox', { name: 'Value' }), 'Pending');
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    expect(screen.getByRole('button', { name: 'Change filter: Delivery Status is not Pending' })).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Add a sort order' }));
    await user.click(await screen.findByRole('menuitem', { name: /^Deliveries/ }));
    fireEvent.change(screen.getByRole('spinbutton', { name: 'Row limit' }), { target: { value: '90000' } });
    await user.click(run());
    await waitFor(() =>
      expect(asked.findLast(({ measures }) => measures)).toEqual({
        measures: ['Delivery.count'],
        dimensions: ['Delivery.trucker'],
        timeDimensions: [{ dimension: 'Delivery.scheduledatetime', granularity: 'week', dateRange: 'this month' }],
        filters: [{ member: 'Delivery.deliverystatus', operator: 'notEquals', values: ['Pending'] }],
        order: [['Delivery.count', 'desc']],
        // The server's maximum number of rows.
        limit: 50_000,
        timezone: 'Asia/Manila',
      }),
    );
  });

  it('has the focus on the button that adds members once the last member of a part is removed', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Add a sort order' }));
    await user.click(await screen.findByRole('menuitem', { name: /^Deliveries/ }));
    const parts = [
      ['Sort order', 'Remove Deliveries', 'Add a sort order'],
      ['Time', 'Remove Dispatch Date and Time', 'Add to Time'],
      ['Dimensions', 'Remove Delivery Status', 'Add to Dimensions'],
      ['Measures', 'Remove Deliveries', 'Add to Measures'],
    ] as const;
    for (const [part, remove, add] of parts) {
      const region = within(screen.getByRole('region', { name: part }));
      region.getByRole('button', { name: remove }).focus();
      await user.keyboard('{Enter}');
      expect(region.getByRole('button', { name: add })).toHaveFocus();
    }
  });

  it('says that a query is wrong, that it found nothing, and that the limit cut it off', async () => {
    const { user } = await open();
    answer = () => analyticsJson({ error: "Can't parse date: 'nope'" }, 400, 'Bad Request');
    await user.click(run());
    expect(await screen.findByText(/Error fetching Cube.js data: Bad Request. Can't parse date: 'nope'/)).toBeInTheDocument();
    await expectAccessible();
    answer = () => [];
    await user.click(run());
    expect(await screen.findByRole('heading', { name: 'No rows' })).toBeInTheDocument();
    answer = () => [{ 'Delivery.deliverystatus': 'Pending', 'Delivery.count': '1' }];
    fireEvent.change(screen.getByRole('spinbutton', { name: 'Row limit' }), { target: { value: '1' } });
    await user.click(run());
    expect(await screen.findByText(/The result stops at the row limit of 1\./)).toBeInTheDocument();
  });

  it('says that the limit cut a result off only if it did, of compared ranges one by one', async () => {
    const row = { 'Delivery.count': '1' };
    const resultOf = (rows: number) => ({
      query: { limit: 3 },
      data: Array.from({ length: rows }, () => row),
      annotation: { measures: { 'Delivery.count': { title: 'Deliveries', shortTitle: 'Deliveries', type: 'number' } }, dimensions: {}, timeDimensions: {} },
    });
    const { user } = await open();
    answer = () => analyticsJson({ results: [resultOf(2), resultOf(2)] });
    await user.click(run());
    expect(await screen.findByText(/^4 rows/)).toBeInTheDocument();
    expect(screen.queryByText(/The result stops at the row limit/)).not.toBeInTheDocument();
    answer = () => analyticsJson({ results: [resultOf(2), resultOf(3)] });
    await user.click(run());
    expect(await screen.findByText(/The result stops at the row limit of 3\./)).toBeInTheDocument();
  });

  it('can be stopped', async () => {
    const { user } = await open();
    let release: (() => void) | undefined;
    const analytics = analyticsPaths(() => []);
    startFakeServer({
      user: rosa,
      paths: {
        ...analytics.paths,
        '/cubejs-api/v1/load': () => new Promise<Response>((resolve) => (release = () => resolve(analyticsJson({}, 500)))),
      },
    });
    await user.click(run());
    await user.click(await screen.findByRole('button', { name: 'Cancel' }));
    expect(await screen.findByText('Canceled')).toBeInTheDocument();
    release?.();
    await waitFor(() => expect(screen.queryByText('Running...')).not.toBeInTheDocument());
    expect(screen.queryByText(/Error fetching/)).not.toBeInTheDocument();
  });

  it('records the query that was run, whatever was changed while it ran', async () => {
    const { user } = await open();
    let release: (() => void) | undefined;
    startFakeServer({
      user: rosa,
      paths: {
        ...analyticsPaths(() => []).paths,
        '/cubejs-api/v1/load': () => new Promise<Response>((resolve) => (release = () => resolve(analyticsJson({}, 500)))),
      },
    });
    await user.click(run());
    await waitFor(() => expect(release).toBeDefined());
    await user.click(screen.getByRole('button', { name: 'Remove Delivery Status' }));
    release?.();
    await screen.findByText(/Error fetching/);
    await user.click(screen.getByRole('button', { name: 'History' }));
    const history = within(await screen.findByRole('dialog', { name: 'History' }));
    expect(history.getByRole('button', { name: /^Deliver/ })).toHaveTextContent(/^Deliveries \/ Delivery Status/);
  });

  it('does not record a query that was left while it ran', async () => {
    const first = await open();
    startFakeServer({
      user: rosa,
      paths: {
        ...analyticsPaths(() => []).paths,
        '/cubejs-api/v1/load': (_, { signal }) =>
          new Promise<Response>((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(new DOMException('left', 'AbortError')));
          }),
      },
    });
    await first.user.click(run());
    await screen.findByRole('button', { name: 'Cancel' });
    first.unmount();
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'History' }));
    const history = within(await screen.findByRole('dialog', { name: 'History' }));
    expect(history.queryByRole('button', { name: /^Deliveries/ })).not.toBeInTheDocument();
  });

  it('keeps open queries and what was run, for who comes back', async () => {
    const first = await open();
    await first.user.click(run());
    await screen.findByText(/^2 rows/);
    await first.user.click(screen.getByRole('button', { name: 'New query' }));
    await first.user.click(screen.getByRole('button', { name: 'Remove Delivery Status' }));
    first.unmount();
    const { user } = await open();
    const tabs = within(screen.getByRole('navigation', { name: 'Query tabs' }));
    expect(tabs.getByRole('button', { name: 'Deliveries' })).toHaveAttribute('aria-current', 'true');
    await user.click(tabs.getByRole('button', { name: 'Close Deliveries' }));
    expect(tabs.getByRole('button', { name: 'Deliveries / Delivery Status' })).toHaveAttribute('aria-current', 'true');
    expect(tabs.getByRole('button', { name: 'Deliveries / Delivery Status' })).toHaveFocus();
    await user.click(screen.getByRole('button', { name: 'History' }));
    const history = within(await screen.findByRole('dialog', { name: 'History' }));
    await expectAccessible();
    await user.click(history.getByRole('button', { name: /^Deliveries \/ Delivery Status.*2 rows/ }));
    expect(tabs.getAllByRole('button', { name: 'Deliveries / Delivery Status' })).toHaveLength(2);
  });
});

it('opens no further query while twelve are open that were neither run nor saved, and says so', async () => {
  const tabs = Array.from({ length: 12 }, (_, at) => ({
    id: `q${at}`,
    mode: 'builder',
    text: JSON.stringify({ measures: ['Delivery.count'], limit: at + 1 }),
  }));
  localStorage.setItem('waybill.query-lab.u1', JSON.stringify({ tabs, current: 'q0', history: [] }));
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'New query' }));
  expect(await screen.findByText('Close a query first: 12 are open.')).toBeInTheDocument();
  expect(screen.getAllByRole('button', { name: 'Deliveries' })).toHaveLength(12);
});

describe('a query as JSON', () => {
  it('is a draft of the builder as long as that can show all of it', () => {
    const draft = firstDraft('Asia/Manila');
    const query = queryOf(draft);
    expect(draftOf(query)).toEqual(draft);
    expect(draftOf({ ...query, order: { 'Delivery.count': 'desc' } })?.order).toEqual([['Delivery.count', 'desc']]);
    const leaf = { member: 'Delivery.trucker', operator: 'set' };
    expect(draftOf({ ...query, filters: [leaf] })?.filters).toEqual([{ key: 'Delivery.trucker', operator: '!isEmpty', values: [] }]);
    expect(draftOf({ ...query, filters: [{ or: [leaf, leaf] }] })).toBeUndefined();
    expect(draftOf({ ...query, filters: [{ member: 'Delivery.count', operator: 'gt', values: ['5'] }] })).toBeUndefined();
    expect(draftOf({ ...query, total: true })).toBeUndefined();
    expect(draftOf({ timeDimensions: [{ dimension: 'Delivery.scheduledatetime', dateRange: 'last quarter' }] })).toBeUndefined();
    expect(draftOf([query])).toBeUndefined();
  });

  it('keeps its time zone in the builder, which shows any but that of the organization', async () => {
    const zones = async (timezone: string | undefined) => {
      store({ measures: ['Delivery.count'], dimensions: ['Delivery.trucker'], limit: 7, ...(timezone && { timezone }) });
      const view = await open();
      const label = screen.queryByText('Time zone');
      await view.user.click(screen.getByRole('button', { name: 'Remove Trucker' }));
      await view.user.click(run());
      await waitFor(() => expect(asked.at(-1)?.measures).toEqual(['Delivery.count']));
      view.unmount();
      return [label?.textContent, asked.at(-1)?.timezone];
    };
    expect(await zones('Asia/Manila')).toEqual([undefined, 'Asia/Manila']);
    expect(await zones('Asia/Tokyo')).toEqual(['Time zoneAsia/Tokyo', 'Asia/Tokyo']);
    // Without one, the days of a query are those of UTC.
    expect(await zones(undefined)).toEqual(['Time zoneUTC', undefined]);
  });

  it('joins the filters of one field by OR, as lists do, and is no draft where it joins them otherwise', () => {
    const leaf = (operator: string, value: string, member = 'Delivery.trucker') => ({ member, operator, values: [value] });
    const [starts, equals, not] = [leaf('startsWith', 'Hab'), leaf('equals', 'Amihan'), leaf('notEquals', 'Tala')] as const;
    const query = (...filters: object[]) => ({ measures: ['Delivery.count'], filters, limit: 7 });
    const kept = (...filters: object[]) => {
      const draft = draftOf(query(...filters));
      return draft && queryOf(draft).filters;
    };
    expect(kept({ or: [starts, equals] })).toEqual([{ or: [starts, equals] }]);
    expect(draftOf(query({ or: [starts, equals] }))?.filters).toHaveLength(2);
    expect(kept(not, leaf('notContains', 'X'), starts)).toEqual([not, leaf('notContains', 'X'), starts]);
    const status = leaf('equals', 'Pending', 'Delivery.deliverystatus');
    expect(kept(status, { or: [starts, equals] }, not)).toEqual([not, status, { or: [starts, equals] }]);
    for (const other of [[starts, equals], [{ or: [starts, equals] }, leaf('endsWith', 'Co')], [{ or: [starts, status] }], [{ or: [starts, not] }], [{ or: [] }]]) {
      expect(kept(...other)).toBeUndefined();
    }
    expect(kept(leaf('equals', '7', 'id'))).toBeUndefined();
  });

  it('is no draft with a condition on a time that the builder cannot show', async () => {
    const time = 'Delivery.scheduledatetime';
    const query = (operator: string, ...values: string[]) => ({ measures: ['Delivery.count'], filters: [{ member: time, operator, values }] });
    const times = [{ name: time }];
    expect(draftOf(query('inDateRange', '2026-11-01', '2026-11-02'), times)).toBeDefined();
    expect(draftOf(query('notSet'), times)).toBeDefined();
    expect(draftOf(query('inDateRange', 'last week'), times)).toBeUndefined();
    expect(draftOf(query('inDateRange', '2026-11-01'), times)).toBeUndefined();
    expect(draftOf(query('inDateRange', '2026-11-01T08:00:00.000', '2026-11-02T08:00:00.000'), times)).toBeUndefined();
    store(query('equals', '2026-11-01'));
    renderRoutes(declarations, '/query-lab');
    expect(await screen.findByText("The builder can't show this query completely. Edit it as JSON.")).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Builder' })).toBeDisabled();
    expect(screen.getByRole('button', { name: 'JSON' })).toHaveAttribute('aria-pressed', 'true');
  });

  it('runs the text that was just typed, however soon the shortcut follows', async () => {
    const { user, container } = await open();
    await user.click(screen.getByRole('button', { name: 'JSON' }));
    const { content, editor } = await findEditor(container);
    const typed = { measures: ['Delivery.count'], limit: 7 };
    // Send both events before React renders, as can happen in a busy browser.
    editor?.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: JSON.stringify(typed) } });
    content.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }));
    await waitFor(() => expect(asked).toEqual([typed]));
  });

  it('does not render the result again while the next query is typed', async () => {
    const textOf = vi.spyOn(results, 'textOf');
    const { user, container } = await open();
    await user.click(screen.getByRole('button', { name: 'JSON' }));
    const { editor } = await findEditor(container);
    await user.click(run());
    await screen.findByText(/^2 rows/);
    expect(textOf).toHaveBeenCalled();
    textOf.mockClear();
    act(() => editor?.dispatch({ changes: { from: 0, insert: '[' } }));
    expect(run()).toHaveAttribute('aria-disabled', 'true');
    expect(textOf).not.toHaveBeenCalled();
  });

  it('rebuilds the reporting data, and says how far that is', async () => {
    const finished = { id: 'r1', state: 'done', deliveries: 1200, total: 1200, failureText: null, createdBy: 'system:analytics', createdAt: '2026-11-20T00:00:00Z', finishedAt: '2026-11-20T00:01:00Z' };
    let last: Record<string, unknown> | null = finished;
    const analytics = analyticsPaths(() => answer() as Response);
    const server = startFakeServer({
      user: rosa,
      paths: analytics.paths,
      operations: {
        AnalyticsRebuild: () => ({ data: { analyticsRebuild: last && { __typename: 'AnalyticsRebuild', ...last } } }),
        RebuildAnalytics: () => {
          last = { ...finished, id: 'r2', state: 'running', deliveries: 300, createdBy: 'rosa', finishedAt: null };
          return { data: { rebuildAnalytics: { __typename: 'AnalyticsRebuild', id: 'r2', state: 'running' } } };
        },
      },
    });
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Rebuild reporting data' }));
    expect(await screen.findByText('1,200 of 1,200 deliveries read')).toBeInTheDocument();
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'Rebuild data' }));
    expect(await screen.findByText('300 of 1,200 deliveries read')).toBeInTheDocument();
    expect(screen.getByRole('progressbar', { name: 'Reporting data' })).toHaveAttribute('aria-valuenow', '25');
    // The button has no effect during a rebuild.
    await user.click(screen.getByRole('button', { name: 'Rebuilding...' }));
    expect(server.calls.filter(({ name }) => name === 'RebuildAnalytics')).toHaveLength(1);
  });

  it('keeps the progress of a rebuild when a read fails, and follows it again', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
    const lookAgain = () => act(() => vi.advanceTimersByTimeAsync(2000));
    let deliveries: number | undefined = 300;
    const running = { __typename: 'AnalyticsRebuild', id: 'r1', state: 'running', total: 1200, failureText: null, createdBy: 'rosa', createdAt: '2026-11-20T00:00:00Z', finishedAt: null };
    const analytics = analyticsPaths(() => answer() as Response);
    const server = startFakeServer({
      user: rosa,
      paths: analytics.paths,
      operations: {
        AnalyticsRebuild: () =>
          deliveries === undefined
            ? { errors: [{ message: 'Too busy' }] }
            : { data: { analyticsRebuild: { ...running, deliveries } } },
      },
    });
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Rebuild reporting data' }));
    expect(await screen.findByText('300 of 1,200 deliveries read')).toBeInTheDocument();
    deliveries = undefined;
    const before = server.calls.length;
    await lookAgain();
    await waitFor(() => expect(server.calls.length).toBeGreaterThan(before));
    await lookAgain();
    expect(screen.getByText('300 of 1,200 deliveries read')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Rebuilding...' })).toBeInTheDocument();
    deliveries = 900;
    await lookAgain();
    expect(await screen.findByText('900 of 1,200 deliveries read')).toBeInTheDocument();
  });
});
