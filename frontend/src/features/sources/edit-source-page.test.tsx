import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { badInput, changedMeanwhile, currentVersion, source } from '@/test/parties';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './edit-source-page';
import './new-source-page';
import './view-source-page';

const total = (count: number) => ({ __typename: 'Count', total: count, exact: true });

let server: FakeServer;
let found: Record<string, unknown>;
let answer: Answer;
let created: Answer;

beforeEach(() => {
  found = source('s1');
  answer = {
    data: { updateSource: { __typename: 'Source', id: 's1', isActive: false, version: 4 } },
  };
  created = { data: { createSource: { __typename: 'Source', id: 's9', name: 'North gate' } } };
  server = startFakeServer({
    user: { ...rosa, roles: ['dispatcher'] },
    operations: {
      ViewSource: () => ({ data: { source: found } }),
      SourceImports: () => ({
        data: { uploadLogs: [], uploadLogsCount: total(0), deliveriesCount: total(0) },
      }),
      UpdateSource: () => answer,
      CreateSource: () => created,
      SourceVersion: () => currentVersion('Source', 5),
    },
  });
});

async function open() {
  const view = renderRoutes(declarations, '/edit-source/s1');
  await screen.findByRole('heading', { level: 2, name: 'Warehouse file' });
  return view;
}

const name = () => screen.getByLabelText('Name');
const active = () => screen.getByRole('switch', { name: 'Active' });
const save = () => screen.getByRole('button', { name: 'Save' });
const sent = (operation: string) => server.calls.filter((call) => call.name === operation);

describe('editing a source', () => {
  it('sends name, status and required proof with the version that was read', async () => {
    const { user, address } = await open();
    expect(save()).toBeDisabled();
    expect(active()).toBeChecked();
    expect(active()).toHaveAccessibleDescription(/refuses imports\. Its deliveries stay/);
    await user.clear(name());
    await user.type(name(), ' North gate ');
    await user.click(screen.getByRole('radio', { name: 'Use system setting' }));
    await expectAccessible();
    await user.dblClick(save());
    await waitFor(() => expect(address()).toBe('/source/s1'));
    expect(await screen.findByText('North gate saved')).toBeInTheDocument();
    expect(sent('UpdateSource').map(({ variables }) => variables)).toEqual([
      {
        input: {
          id: 's1',
          version: 3,
          name: 'North gate',
          isActive: true,
          podRequirement: null,
        },
      },
    ]);
  });

  it('asks before it disables, and says what that does', async () => {
    const { user, address } = await open();
    await user.click(active());
    await user.click(save());
    const question = await screen.findByRole('alertdialog', { name: 'Disable Warehouse file?' });
    expect(question).toHaveAccessibleDescription(/Imports from it are refused.*stay as they are/);
    await user.click(within(question).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
    expect(sent('UpdateSource')).toHaveLength(0);
    expect(active()).not.toBeChecked();

    await user.click(await screen.findByRole('button', { name: 'Save' }));
    await user.click(await screen.findByRole('button', { name: 'Disable and save' }));
    await waitFor(() => expect(address()).toBe('/source/s1'));
    expect(sent('UpdateSource')[0]?.variables.input).toMatchObject({
      isActive: false,
      podRequirement: ['signature', 'photo'],
    });
  });

  it('makes an inactive one active without a question', async () => {
    found = source('s1', { isActive: false });
    const { user } = await open();
    await user.click(active());
    await user.click(save());
    await waitFor(() =>
      expect(sent('UpdateSource')[0]?.variables.input).toMatchObject({ isActive: true }),
    );
  });

  it('says what is wrong with a field', async () => {
    answer = badInput({ name: ['Name is taken'] });
    const { user } = await open();
    await user.clear(name());
    await user.click(save());
    expect(name()).toHaveAccessibleDescription(/^Name is required/);
    await user.type(name(), 'Old shop');
    await user.click(save());
    await waitFor(() => expect(name()).toHaveAccessibleDescription(/^Name is taken/));
    expect(name()).toHaveFocus();
  });

  it('tells who was faster, and starts again from the source as it is now', async () => {
    answer = changedMeanwhile('SOURCE_CHANGED');
    const { user } = await open();
    await user.type(name(), '!');
    await user.click(save());
    await screen.findByText(/dennis changed this on Nov 20, 2026 3:01 PM/);
    found = source('s1', { name: 'Gate 2', version: 5 });
    await user.click(screen.getByRole('button', { name: 'Reload' }));
    await waitFor(() => expect(name()).toHaveValue('Gate 2'));
    expect(save()).toBeDisabled();
  });

  it('asks before a change is lost', async () => {
    const { user, address } = await open();
    await user.type(name(), '!');
    await user.click(screen.getByRole('link', { name: 'Cancel' }));
    await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
    await user.click(screen.getByRole('button', { name: 'Leave' }));
    await waitFor(() => expect(address()).toBe('/source/s1'));
  });
});

describe('a new source', () => {
  async function openNew() {
    const view = renderRoutes(declarations, '/new-source');
    await screen.findByRole('heading', { level: 1, name: 'New source' });
    await screen.findByLabelText('Name');
    return view;
  }

  it('is made active unless said otherwise, and then shown', async () => {
    const { user, address } = await openNew();
    await expectAccessible();
    await user.type(name(), 'North gate');
    await user.click(screen.getByRole('radio', { name: 'Custom' }));
    await user.click(screen.getByRole('checkbox', { name: 'Location' }));
    await user.dblClick(screen.getByRole('button', { name: 'Create source' }));
    await waitFor(() => expect(address()).toBe('/source/s9'));
    expect(await screen.findByText('Source North gate created')).toBeInTheDocument();
    expect(sent('CreateSource').map(({ variables }) => variables)).toEqual([
      { input: { name: 'North gate', isActive: true, podRequirement: ['location'] } },
    ]);
  });

  it('is not made without a name, or with one that is taken', async () => {
    created = badInput({ name: ['Name is taken'] });
    const { user, address } = await openNew();
    await user.click(screen.getByRole('button', { name: 'Create source' }));
    expect(name()).toHaveAccessibleDescription(/^Name is required/);
    expect(sent('CreateSource')).toHaveLength(0);
    await user.type(name(), 'Old shop{Enter}');
    await waitFor(() => expect(name()).toHaveAccessibleDescription(/^Name is taken/));
    expect(address()).toBe('/new-source');
  });
});
