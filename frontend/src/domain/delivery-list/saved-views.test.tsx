import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { columns } from '@/features/deliveries/columns';
import { decodeFilters } from '@/list/filters-codec';
import { readViewState, viewAddress, writeViewState } from '@/list/saved-views';
import { decodeColumns, defaultSettings } from '@/list/use-column-settings';
import type { RouteEntry } from '@/routing/declarations';
import { expectAccessible } from '@/test/axe';
import { deliveryRow } from '@/test/deliveries';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import known from '@/test/saved-view-fields.json';
import { filters } from './filters';

vi.setConfig({ testTimeout: 30_000 });

interface View {
  __typename: 'SavedView';
  id: string;
  name: string;
  state: string;
  shared: boolean;
  owner: string;
  isOwn: boolean;
  version: number;
}

/** A saved view of a list belongs to one user and is not shared. */
const own = { shared: false, owner: 'rosa', isOwn: true };

const routes = [
  { name: 'deliveries', path: '/deliveries', page: () => import('@/features/deliveries/deliveries-page') },
];
const list = { columns, defaultSort: [{ key: 'scheduledatetime', direction: 'desc' as const }] };
const ofTrucker = {
  filters: [{ key: 'trucker', operator: 'equals' as const, values: [{ label: 'Alon', value: 'Alon' }] }],
  sort: [{ key: 'id', direction: 'asc' as const }],
  columns: { ...defaultSettings(columns), hidden: ['linecount'], pinned: ['customername'], widths: { customername: 240 } },
};

let views: View[];
let failure: string | undefined;
let sources: Promise<Answer>;
/** Whether the answer to the next creation is lost. */
let isLost: boolean;
/** Delays the answers to creations. */
let creating: Promise<void> | undefined;
let server: FakeServer;

function change(make: () => View) {
  if (!failure) return { data: make() };
  const extensions = { code: 'ALREADY_EXISTS', reason: 'SAVED_VIEW_EXISTS', fields: { name: [failure] } };
  return { errors: [{ message: failure, extensions }] };
}

beforeEach(() => {
  views = [];
  failure = undefined;
  isLost = false;
  creating = undefined;
  sources = Promise.resolve({ data: { sources: [] } });
  const creations = new Map<string, View>();
  const count = { __typename: 'Count', total: 7, exact: true };
  server = startFakeServer({
    user: rosa,
    operations: {
      DeliveriesPage: () => ({ data: { deliveries: [deliveryRow(1000)], deliveriesCount: count } }),
      DeliveriesByView: (variables) => ({
        data: Object.fromEntries(Object.keys(variables).map((view) => [view, count])),
      }),
      SourcesLookup: () => sources,
      SavedViews: () => ({ data: { savedViews: [...views] } }),
      CreateSavedView: async ({ input }) => {
        await creating;
        const { creationId, savedView } = input as { creationId: string; savedView: { name: string; state: string } };
        const retried = creations.get(creationId);
        if (retried) return { data: { createSavedView: retried } };
        const answer = change(() => {
          const { name, state } = savedView;
          const view: View = { __typename: 'SavedView', id: `v-${views.length + 1}`, name, state, ...own, version: 1 };
          views.push(view);
          creations.set(creationId, view);
          return view;
        });
        if (isLost) throw new TypeError('lost');
        return 'data' in answer ? { data: { createSavedView: answer.data } } : answer;
      },
      UpdateSavedView: ({ input }) => {
        const { id, savedView } = input as { id: string; savedView: { name: string; state: string } };
        views = views.map((view) => (view.id === id ? { ...view, ...savedView, version: view.version + 1 } : view));
        return { data: { updateSavedView: views.find((view) => view.id === id) } };
      },
      DeleteSavedView: ({ input }) => {
        const { id } = input as { id: string };
        views = views.filter((view) => view.id !== id);
        return { data: { deleteSavedView: id } };
      },
    },
  });
});

async function open(address: string, entries: readonly RouteEntry[] = routes) {
  const view = renderRoutes(entries, address);
  await screen.findByText('DR-1000', undefined, { timeout: 15_000 });
  const params = () => new URLSearchParams(view.address().split('?')[1]);
  return { ...view, params };
}

function keep(name: string): View {
  const view: View = { __typename: 'SavedView', id: 'v-1', name, state: writeViewState(ofTrucker), ...own, version: 1 };
  views.push(view);
  return view;
}

const first = () => views[0] ?? keep('nobody saved any');

const tabs = () => screen.getByLabelText('Views');
const current = () => tabs().querySelector('[aria-current]');
const menu = async (user: { click: (element: Element) => Promise<void> }, item: string) => {
  await user.click(screen.getByLabelText('Saved views'));
  await user.click(await screen.findByText(item, { selector: '[role=menuitem]' }));
};
const lastCall = (name: string) => server.calls.findLast((call) => call.name === name)?.variables;

it('saves what is shown, marks it, and updates it', async () => {
  const { user, params } = await open(`/deliveries?${viewAddress(ofTrucker, list)}`);
  await menu(user, 'Save as a new view');
  const dialog = await screen.findByRole('dialog');
  await expectAccessible();
  await user.click(within(dialog).getByText('Save', { selector: 'button' }));
  expect(within(dialog).getByText('Enter a name')).toBeInTheDocument();
  await waitFor(() => expect(within(dialog).getByLabelText('Name')).toHaveFocus());
  await user.type(within(dialog).getByLabelText('Name'), 'Alon only');
  failure = 'You already use the name Alon only. Choose another name.';
  await user.click(within(dialog).getByText('Save', { selector: 'button' }));
  expect(await within(dialog).findByText(failure)).toBeInTheDocument();
  failure = undefined;
  await user.click(within(dialog).getByText('Save', { selector: 'button' }));

  await waitFor(() => expect(current()).toHaveTextContent('Alon only'));
  expect(params().get('view')).toBe('v-1');
  expect(JSON.parse(first().state)).toEqual(JSON.parse(writeViewState(ofTrucker)));

  // Without changes, no update is offered.
  await user.click(screen.getByLabelText('Saved views'));
  expect(await screen.findByText('Save changes to this view')).toHaveAttribute('aria-disabled', 'true');
  await user.keyboard('{Escape}');
  await user.click(screen.getByLabelText('Columns'));
  await user.click(await screen.findByLabelText('Pin Trucker'));
  await user.keyboard('{Escape}');
  await menu(user, 'Save changes to this view');
  await waitFor(() => expect(first().version).toBe(2));
  const { pinned } = (JSON.parse(first().state) as typeof ofTrucker).columns;
  expect(pinned).toEqual(['customername', 'trucker']);
  // The user's own column settings are unchanged.
  expect(localStorage.getItem('waybill.list.deliveries.columns')).toBeNull();
});

it('lists a view whose answer was lost, saves it once, and saves the same again after a deletion', async () => {
  const { user } = await open(`/deliveries?${viewAddress(ofTrucker, list)}`);
  await menu(user, 'Save as a new view');
  const dialog = within(await screen.findByRole('dialog'));
  isLost = true;
  await user.type(dialog.getByLabelText('Name'), 'Alon only{Enter}');
  await dialog.findByRole('alert');
  expect(await within(tabs()).findByText('Alon only')).toBeInTheDocument();
  isLost = false;
  await user.click(dialog.getByText('Save', { selector: 'button' }));
  await waitFor(() => expect(current()).toHaveTextContent('Alon only'));
  expect(views).toHaveLength(1);

  await menu(user, 'Delete');
  await user.click(await screen.findByText('Undo'));
  await waitFor(() => expect(views).toHaveLength(1));
});

it('opens a view whole, leaves it whole, and opens on it the next time', async () => {
  keep('Alon only');
  const before = await open('/deliveries?limit=50');
  await before.user.click(within(tabs()).getByText('Alon only'));
  await waitFor(() => expect(current()).toHaveTextContent('Alon only'));
  const page = () => lastCall('DeliveriesPage')?.page as { where: unknown[]; sort: unknown[] };
  await waitFor(() => expect(page().where).toEqual([{ key: 'trucker', operator: 'equals', values: ['Alon'] }]));
  expect(page().sort[0]).toEqual({ key: 'id', direction: 'asc' });
  const heads = () => screen.getAllByRole('columnheader').map((it) => it.textContent);
  expect(heads()).not.toContain('Line Count');
  expect(heads().indexOf('Customer Name')).toBe(heads().indexOf('Delivery Doc') + 1);
  before.unmount();

  const second = await open('/deliveries');
  await waitFor(() => expect(current()).toHaveTextContent('Alon only'));
  await second.user.click(within(tabs()).getByText('Late'));
  await waitFor(() => expect(current()).toHaveTextContent('Late'));
  const left = decodeFilters(second.params().get('filters')).filters;
  expect(left.map(({ key }) => key)).toEqual(['deliverystatus', 'dueAt']);
  expect([...second.params().keys()]).toEqual(['filters']);
});

it('is not what the next user of the browser opens on', async () => {
  keep('Alon only');
  const address = viewAddress(ofTrucker, list, 'v-1');
  // As an earlier release stored it.
  localStorage.setItem('waybill.list.deliveries.view', JSON.stringify(`?${address}`));
  const before = await open(`/deliveries?${address}`);
  await waitFor(() => expect(current()).toHaveTextContent('Alon only'));
  before.unmount();
  views = [];
  server.signIn({ ...rosa, id: 'u2', username: 'ben' });
  const after = await open('/deliveries');
  await waitFor(() => expect(current()).toHaveTextContent('Today'));
  after.unmount();
  server.signIn(rosa);
  const again = await open('/deliveries');
  expect(again.params().get('view')).toBe('v-1');
});

it('names a source as it is called now, not as when the view was saved', async () => {
  const source = { key: 'sourceId', operator: 'equals' as const, values: [{ label: 'Portal', value: 's1' }] };
  let answer: (answer: Answer) => void = () => undefined;
  sources = new Promise((resolve) => {
    answer = resolve;
  });
  await open(`/deliveries?${viewAddress({ ...ofTrucker, filters: [source] }, list)}`);
  expect(screen.getByLabelText('Change filter: Source is Portal')).toBeInTheDocument();
  const named = (id: string, name: string) => ({ __typename: 'Source', id, name });
  answer({ data: { sources: [named('s1', 'Old portal'), named('s2', 'Portal')] } });
  expect(await screen.findByLabelText('Change filter: Source is Old portal')).toBeInTheDocument();
});

it('is renamed, deleted, and comes back', async () => {
  keep('Alon only');
  const { user } = await open(`/deliveries?${viewAddress(ofTrucker, list, 'v-1')}`);
  await waitFor(() => expect(current()).toHaveTextContent('Alon only'));
  await menu(user, 'Rename');
  const name = within(await screen.findByRole('dialog')).getByLabelText('Name');
  await user.clear(name);
  await user.type(name, 'Alon{Enter}');
  await waitFor(() => expect(current()).toHaveTextContent(/^Alon$/));
  await menu(user, 'Delete');
  await waitFor(() => expect(within(tabs()).queryByText('Alon')).not.toBeInTheDocument());
  await user.click(await screen.findByText('Undo'));
  expect(await within(tabs()).findByText('Alon')).toBeInTheDocument();
  expect(first().state).toBe(writeViewState(ofTrucker));
});

it('shows the same to somebody else by its link, who saves it as their own', async () => {
  const { user, params } = await open('/deliveries?limit=50');
  const write = vi.spyOn(navigator.clipboard, 'writeText');
  await menu(user, 'Copy link to this list');
  await waitFor(() => expect(write).toHaveBeenCalled());
  const shared = new URL(write.mock.calls[0]?.[0] ?? '').searchParams;
  expect(decodeColumns(shared.get('columns'), columns)).toEqual(defaultSettings(columns));
  expect(params().has('columns')).toBe(false);

  const link = `/deliveries?${viewAddress(ofTrucker, list, 'of-another')}`;
  const other = renderRoutes(routes, link);
  await waitFor(() => expect(other.address()).toBe(link));
  await waitFor(() => {
    const page = lastCall('DeliveriesPage')?.page as { where: unknown[] };
    expect(page.where).toEqual([{ key: 'trucker', operator: 'equals', values: ['Alon'] }]);
  });
});

it('reads what an older or a newer release saved, and nothing else', () => {
  expect(readViewState('{}', list)).toBeUndefined();
  expect(readViewState('x', list)).toBeUndefined();
  const state = { ...ofTrucker, columns: { ...ofTrucker.columns, order: ['customername', 'gone'] } };
  const read = readViewState(JSON.stringify(state), list);
  expect(read?.columns.order).toHaveLength(columns.length);
  expect(read?.columns.order.slice(0, 2)).toEqual(['id', 'customername']);
  expect(readViewState(writeViewState(ofTrucker), list)).toEqual(ofTrucker);
});

it('has the fields and columns that the server takes', () => {
  const ofServer = new Map(known.filters.map(({ key, operators }) => [key, operators]));
  expect(filters.map(({ key }) => key)).toEqual([...ofServer.keys()]);
  for (const { key, operators } of filters) {
    expect(ofServer.get(key), key).toEqual(expect.arrayContaining([...operators]));
  }
  const own = columns.map(({ id, sortable = false }) => ({ id, sorts: sortable }));
  expect(own).toEqual(known.columns);
});

it('leaves the address of another page alone when the view is saved late', async () => {
  let finish: () => void = () => undefined;
  creating = new Promise((resolve) => (finish = resolve));
  const elsewhere = { name: 'elsewhere', path: '/elsewhere', page: () => Promise.resolve({ default: () => <h1>Elsewhere</h1> }) };
  const { user, router, address } = await open('/deliveries?limit=50', [...routes, elsewhere]);
  await menu(user, 'Save as a new view');
  await user.type(within(await screen.findByRole('dialog')).getByLabelText('Name'), 'Mine{Enter}');
  await waitFor(() => expect(server.calls.some(({ name }) => name === 'CreateSavedView')).toBe(true));
  await act(() => router.navigate('/elsewhere'));
  await screen.findByRole('heading', { name: 'Elsewhere' });
  finish();
  await screen.findByText('Mine saved');
  expect(address()).toBe('/elsewhere');
});
