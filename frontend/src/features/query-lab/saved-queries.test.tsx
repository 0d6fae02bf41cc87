import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import type { AnalyticsQuery } from '@/domain/analytics/query';
import { analyticsJson, analyticsPaths } from '@/test/analytics';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './query-lab-page';
import '@/ui/charts/plot';

interface Saved {
  __typename: 'SavedView';
  id: string;
  name: string;
  state: string;
  shared: boolean;
  owner: string;
  isOwn: boolean;
  version: number;
}
type Input = { id: string; creationId: string; savedView: Pick<Saved, 'name' | 'state' | 'shared'> };

let saved: Saved[];
let failure: string | undefined;
let list: (() => Answer) | undefined;
/** Whether the answer to the next creation is lost. */
let isLost: boolean;
let ran: { savedQuery?: string; query?: AnalyticsQuery }[];
let load: () => Response;
let server: FakeServer;

const rows = [{ 'Delivery.deliverystatus': 'Pending', 'Delivery.count': '12' }];
const shared: Saved = { __typename: 'SavedView', id: 's-9', name: 'Late by trucker', state: '', shared: true, owner: 'mara', isOwn: false, version: 3 };
const result = {
  query: { measures: ['Delivery.count'], dimensions: ['Delivery.deliverystatus'], limit: 1000 },
  data: rows,
  annotation: {
    measures: { 'Delivery.count': { title: 'Deliveries', shortTitle: 'Deliveries', type: 'number' } },
    dimensions: { 'Delivery.deliverystatus': { title: 'Delivery Status', shortTitle: 'Delivery Status', type: 'string' } },
    timeDimensions: {},
  },
};

function refusal(): Answer {
  const extensions = { code: 'ALREADY_EXISTS', reason: 'SAVED_VIEW_EXISTS', fields: { name: [failure] } };
  return { errors: [{ message: String(failure), extensions }] };
}

beforeEach(() => {
  saved = [];
  ran = [];
  failure = undefined;
  list = undefined;
  isLost = false;
  const creations = new Map<string, string>();
  load = () => analyticsJson({ results: [result] });
  server = startFakeServer({
    user: rosa,
    paths: {
      ...analyticsPaths(() => rows).paths,
      '/cubejs-api/v1/load': (url, init) => {
        const sent = init.body ? (JSON.parse(String(init.body)) as object) : Object.fromEntries(url.searchParams);
        ran.push(sent);
        return load();
      },
    },
    operations: {
      SavedViews: ({ list: name }) => (name === 'queryLab' ? (list?.() ?? { data: { savedViews: [...saved] } }) : { data: { savedViews: [] } }),
      CreateSavedView: ({ input }) => {
        if (failure) return refusal();
        const { creationId, savedView } = input as Input;
        const content = JSON.stringify(savedView);
        if ((creations.get(creationId) ?? content) !== content) return { errors: [{ message: 'CREATION_ID_REUSED' }] };
        creations.set(creationId, content);
        const made: Saved = { __typename: 'SavedView', id: `s-${saved.length + 1}`, owner: 'rosa', isOwn: true, version: 1, ...savedView };
        saved = [made, ...saved];
        if (isLost) throw new TypeError('lost');
        return { data: { createSavedView: made } };
      },
      UpdateSavedView: ({ input }) => {
        const { id, savedView } = input as Input;
        saved = saved.map((it) => (it.id === id ? { ...it, ...savedView, version: it.version + 1 } : it));
        return { data: { updateSavedView: saved.find((it) => it.id === id) } };
      },
      DeleteSavedView: ({ input }) => {
        const { id } = input as Input;
        saved = saved.filter((it) => it.id !== id);
        return { data: { deleteSavedView: id } };
      },
    },
  });
});

async function open() {
  const view = renderRoutes(declarations, '/query-lab');
  const tabs = within(await screen.findByRole('navigation', { name: 'Query tabs' }));
  const { user } = view;
  const choose = async (item: string) => {
    await user.click(screen.getByRole('button', { name: 'Save or share' }));
    await user.click(await screen.findByRole('menuitem', { name: item }));
  };
  const openSaved = async (name: RegExp) => {
    await user.click(screen.getByRole('button', { name: 'Saved queries' }));
    const panel = within(await screen.findByRole('dialog', { name: 'Saved queries' }));
    await user.click(await panel.findByRole('button', { name }));
  };
  return { ...view, tabs, choose, openSaved };
}
const editor = () => within(screen.getByRole('region', { name: 'Query' }));

describe('a query that the user saves', () => {
  it('gets a name, is changed, shared, renamed and deleted, and comes back', async () => {
    const { user, tabs, choose } = await open();
    await screen.findByRole('region', { name: 'Measures' });
    await choose('Save as a new query');
    const dialog = within(await screen.findByRole('dialog', { name: 'Save this query' }));
    await user.type(dialog.getByRole('textbox', { name: /^Name/ }), 'By status');
    failure = 'You already use the name By status. Choose another name.';
    await user.click(dialog.getByRole('button', { name: 'Save' }));
    expect(await dialog.findByText(failure)).toBeInTheDocument();
    failure = undefined;
    await user.click(dialog.getByRole('button', { name: 'Save' }));
    expect(await tabs.findByRole('button', { name: 'By status' })).toHaveAttribute('aria-current', 'true');
    const text = () => (JSON.parse(saved[0]?.state ?? '') as { query: string }).query;
    expect(JSON.parse(text())).toMatchObject({ dimensions: ['Delivery.deliverystatus'] });
    expect(saved[0]?.shared).toBe(false);

    // Changes stay in the tab until they are saved.
    expect(editor().queryByText(/Unsaved changes/)).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Remove Delivery Status' }));
    expect(editor().getByText(/Unsaved changes/)).toBeInTheDocument();
    await expectAccessible();
    expect(text()).toContain('Delivery.deliverystatus');
    await choose('Save changes to this query');
    await waitFor(() => expect(text()).not.toContain('Delivery.deliverystatus'));

    await choose('Share with administrators');
    await waitFor(() => expect(saved[0]?.shared).toBe(true));
    expect(await editor().findByText(/Shared/)).toBeInTheDocument();
    await choose('Rename');
    const name = within(await screen.findByRole('dialog', { name: 'Rename By status' })).getByRole('textbox', { name: /^Name/ });
    await user.clear(name);
    await user.type(name, 'All{Enter}');
    expect(await tabs.findByRole('button', { name: 'All' })).toBeInTheDocument();
    expect(saved[0]).toMatchObject({ name: 'All', shared: true });

    await choose('Delete');
    expect(await tabs.findByRole('button', { name: 'Deliveries' })).toBeInTheDocument();
    expect(saved).toEqual([]);
    await user.click(await screen.findByRole('button', { name: 'Undo' }));
    expect(await tabs.findByRole('button', { name: 'All' })).toBeInTheDocument();
    expect(saved[0]).toMatchObject({ name: 'All', shared: true });
  });

  it('is saved under another name after the answer was lost, and both are listed', async () => {
    const { user, tabs, choose } = await open();
    await screen.findByRole('region', { name: 'Measures' });
    await choose('Save as a new query');
    const dialog = within(await screen.findByRole('dialog', { name: 'Save this query' }));
    isLost = true;
    await user.type(dialog.getByRole('textbox', { name: /^Name/ }), 'First{Enter}');
    await dialog.findByRole('alert');
    isLost = false;
    await user.type(dialog.getByRole('textbox', { name: /^Name/ }), ' again{Enter}');
    expect(await tabs.findByRole('button', { name: 'First again' })).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Saved queries' }));
    const panel = within(await screen.findByRole('dialog', { name: 'Saved queries' }));
    await waitFor(() => expect(panel.getAllByRole('button', { name: /^First/ })).toHaveLength(2));
  });

  it('opens in a tab of its own, once, and runs as it is in the editor', async () => {
    const query = { measures: ['Delivery.onTimeRate'] };
    const state = JSON.stringify({ query: JSON.stringify(query) });
    saved = [{ ...shared, id: 's-1', name: 'On time', state, owner: 'rosa', isOwn: true }];
    const { user, tabs, openSaved } = await open();
    await openSaved(/^On time/);
    await openSaved(/^On time/);
    expect(tabs.getAllByRole('button', { name: 'On time' })).toHaveLength(1);
    await user.click(screen.getByRole('button', { name: /^Run query/ }));
    await waitFor(() => expect(ran).toHaveLength(1));
    expect(ran[0]).toMatchObject({ query: JSON.stringify(query) });
  });
});

describe('a query that somebody else shares', () => {
  it('shows its name, owner and result, and is run by its id', async () => {
    saved = [shared];
    const { user, tabs, openSaved } = await open();
    await openSaved(/^Late by trucker.*mara/);
    expect(tabs.getByRole('button', { name: 'Late by trucker' })).toHaveAttribute('aria-current', 'true');
    expect(editor().getByText('Shared by mara')).toBeInTheDocument();
    for (const name of ['Save or share', 'Builder', 'SQL']) {
      expect(screen.queryByRole('button', { name })).not.toBeInTheDocument();
    }
    await user.click(screen.getByRole('button', { name: 'Run query' }));
    expect(await screen.findByText(/^1 row,/)).toBeInTheDocument();
    expect(ran).toEqual([{ savedQuery: 's-9', queryType: 'multi' }]);
    await expectAccessible();

    load = () => analyticsJson({ error: 'This query was deleted, or is no longer shared.' }, 400, 'Bad Request');
    await user.click(screen.getByRole('button', { name: 'Run query' }));
    expect(await screen.findByText(/This query was deleted, or is no longer shared\./)).toBeInTheDocument();
  });

  it('says so when it is no longer shared, and closes', async () => {
    saved = [shared];
    const first = await open();
    await first.openSaved(/^Late by trucker/);
    first.unmount();
    saved = [];
    const { user, tabs } = await open();
    expect(await screen.findByRole('heading', { name: 'Late by trucker is no longer shared' })).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Close this tab' }));
    expect(tabs.queryByRole('button', { name: 'Late by trucker' })).not.toBeInTheDocument();
  });
});

describe('the list of saved queries', () => {
  it('says that it is empty, or could not be read, and tries again', async () => {
    list = () => ({ errors: [{ message: 'Settings are not available right now.', extensions: { code: 'UNAVAILABLE' } }] });
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Saved queries' }));
    const panel = within(await screen.findByRole('dialog', { name: 'Saved queries' }));
    expect(await panel.findByText(/Settings are not available right now\./)).toBeInTheDocument();
    list = undefined;
    await user.click(panel.getByRole('button', { name: 'Retry' }));
    expect(await panel.findByText(/^No saved queries yet/)).toBeInTheDocument();
    await expectAccessible();
  });

  it('is searched by name and owner when it is long', async () => {
    saved = ['Ana', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gus', 'Hana'].map((owner, at) => ({ ...shared, id: `s-${at}`, name: `Query ${at}`, owner }));
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Saved queries' }));
    const panel = within(await screen.findByRole('dialog', { name: 'Saved queries' }));
    await user.type(await panel.findByRole('searchbox', { name: 'Search by name or owner' }), 'cleo');
    expect(panel.getAllByRole('button', { name: /^Query/ }).map((it) => it.textContent)).toEqual(['Query 2Shared by Cleo']);
    await user.type(panel.getByRole('searchbox'), 'x');
    expect(panel.getByText('No saved queries match.')).toBeInTheDocument();
    expect(server.calls.filter(({ name }) => name === 'SavedViews')).toHaveLength(1);
  });
});
