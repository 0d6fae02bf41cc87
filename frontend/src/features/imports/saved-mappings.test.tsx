import { screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { uploadLog } from '@/test/deliveries';
import { rosa, startFakeServer } from '@/test/fake-server';
import { type Asked, importMapping } from '@/test/import-mapping';
import { renderRoutes } from '@/test/render';

const slow = { timeout: 15_000 };
vi.setConfig({ testTimeout: 20_000 });

const source = (id: string, name: string) => ({ __typename: 'Source', id, name });
const saved = (id: string, name: string, changes: Record<string, unknown> = {}) => ({
  __typename: 'SavedImportMapping',
  id,
  name,
  source: source('s1', 'Default'),
  columns: 2,
  missing: [] as string[],
  savedBy: 'rosa',
  canChange: true,
  lastUsedAt: null as string | null,
  usedCount: 0,
  ...changes,
});
type Saved = ReturnType<typeof saved>;

const ACME = saved('m1', 'Acme orders');
const OTHERS = saved('m2', 'Weekly', {
  source: source('s2', 'ERP'),
  columns: 3,
  missing: ['Tour'],
  savedBy: 'juan',
  canChange: false,
  usedCount: 4,
  lastUsedAt: new Date().toISOString(),
});
const UNFIT = saved('m3', 'Zebra', { columns: 1, missing: ['Kunde'] });

let asked: Asked[];
let drafts: Record<string, unknown>[];
let calls: unknown[];
/** Whether the mapping can't be read. */
let isUnreadable: boolean;

interface Start {
  mappings?: Saved[] | 'failing';
  /** The saved mapping that the server proposes. */
  proposed?: Saved;
}

function open({ mappings = [ACME, OTHERS, UNFIT], proposed }: Start = {}) {
  asked = [];
  drafts = [];
  calls = [];
  isUnreadable = false;
  let all = mappings;
  const log = uploadLog({ status: 'needs_mapping', columnsChosen: true, rowsTotal: 0, sourceId: 's1', source: source('s1', 'Default') });
  const taken = (name: string) =>
    all !== 'failing' && all.some((it) => it.name.toLowerCase() === name.toLowerCase());
  const change = (input: object) => {
    calls.push(input);
    return input as { id: string; name: string; replace?: boolean };
  };
  startFakeServer({
    user: rosa,
    operations: {
      UploadedDetails: () => ({ data: { uploadLog: log } }),
      ImportMapping: (variables) => {
        const ask = variables as Asked;
        asked.push(ask);
        if (isUnreadable) return { errors: [{ message: 'Try later.', extensions: { code: 'UNAVAILABLE' } }] };
        const found = all === 'failing' ? undefined : [...all, saved('m9', 'New')].find(({ id }) => id === ask.choices?.savedMapping);
        const applied = ask.choices ? found : proposed;
        const base = importMapping(ask, false);
        return {
          data: {
            importMapping: {
              ...base,
              ...(applied && !ask.choices?.fields.length && { chosen: ['delivery_id', 'scheduledate', null] }),
              savedMapping: applied
                ? {
                    __typename: 'AppliedImportMapping',
                    id: applied.id,
                    name: applied.name,
                    missing: applied.missing,
                    proposed: !ask.choices,
                  }
                : null,
            },
          },
        };
      },
      SaveImportMapping: (variables) => {
        drafts.push((variables as { input: Record<string, unknown> }).input);
        return { data: { saveImportMapping: { __typename: 'UploadLog', id: 'u1', status: 'needs_mapping' } } };
      },
      SavedMappings: () =>
        all === 'failing'
          ? { errors: [{ message: 'Try later.', extensions: { code: 'UNAVAILABLE' } }] }
          : { data: { importMappings: all } },
      CreateSavedMapping: (variables) => {
        const input = change((variables as { input: object }).input);
        if (taken(input.name) && !input.replace) {
          return {
            errors: [{ message: 'Taken.', extensions: { code: 'CONFLICT', reason: 'SAVED_MAPPING_EXISTS', fields: { name: ['Taken.'] } } }],
          };
        }
        return { data: { createImportMapping: { ...saved('m9', input.name) } } };
      },
      RenameSavedMapping: (variables) => {
        const { id, name } = change((variables as { input: object }).input);
        if (all !== 'failing') all = all.map((it) => (it.id === id ? { ...it, name } : it));
        return { data: { renameImportMapping: saved(id, name) } };
      },
      DeleteSavedMapping: (variables) => {
        const { id } = change((variables as { input: object }).input);
        if (all !== 'failing') all = all.filter((it) => it.id !== id);
        return { data: { deleteImportMapping: id } };
      },
    },
  });
  return renderRoutes(declarations, '/uploaded-details/u1');
}

const panel = async () => within(await screen.findByRole('dialog', { name: 'Saved mappings' }, slow));
const listButton = () => screen.findByRole('button', { name: 'Saved mappings' }, slow);
const saveButton = () => screen.findByRole('button', { name: 'Save this mapping' }, slow);

it('lists mappings of the source first, and applies the chosen one', async () => {
  const { user } = open();
  await user.click(await listButton());
  const list = await panel();
  const own = within(await list.findByRole('region', { name: 'For Default' }));
  const names = own.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(names).toEqual([
    'Acme orders2 of 2 columns in this file.Saved by rosa. Not used yet.',
    'Zebra0 of 1 column in this file. Not in this file: Kunde.Saved by rosa. Not used yet.',
  ]);
  expect(own.getByRole('button', { name: /^Zebra/ })).toBeDisabled();
  const others = within(list.getByRole('region', { name: 'For other sources' }));
  const weekly = others.getByRole('button', { name: /^Weekly/ });
  expect(weekly).toHaveTextContent('2 of 3 columns in this file. Not in this file: Tour.');
  expect(weekly).toHaveTextContent('For ERP. Saved by juan. 4 imports, last used now');
  expect(others.queryByRole('button', { name: 'Actions for Weekly' })).not.toBeInTheDocument();
  // The tooltip of the close button, which has the focus at first, is outside of the landmarks.
  weekly.focus();
  await expectAccessible();

  await user.click(weekly);
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  await screen.findByText('Saved mapping Weekly applied');
  expect(screen.getByText(/Not in this file: Tour\./)).toBeInTheDocument();
  expect(screen.getByRole('combobox', { name: 'Field for Datum' })).toHaveValue('scheduledate');
  // The server keeps its choices, and knows the mapping when a choice is changed.
  expect(drafts.at(-1)).toMatchObject({ fields: [], savedMapping: 'm2', draft: true });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Field for Column 3' }), 'SKU');
  expect(drafts.at(-1)).toMatchObject({ fields: ['delivery_id', 'scheduledate', 'sku'], savedMapping: 'm2' });
  await expectAccessible();
  await user.click(screen.getByRole('button', { name: 'Import the file' }));
  await waitFor(() => expect(drafts.at(-1)).toMatchObject({ savedMapping: 'm2' }));
  expect(drafts.at(-1)).not.toHaveProperty('draft');
});

it('says which mapping the server suggests, and can do without it', async () => {
  const { user } = open({ proposed: ACME });
  await screen.findByText('Suggested by the saved mapping Acme orders', undefined, slow);
  expect(screen.getByRole('combobox', { name: 'Field for Datum' })).toHaveValue('scheduledate');
  await user.click(screen.getByRole('button', { name: "Don't use it" }));
  await waitFor(() => expect(screen.queryByText(/Suggested by/)).not.toBeInTheDocument());
  expect(asked.at(-1)).toMatchObject({ choices: { fields: [], savedMapping: '' } });
  expect(screen.getByRole('combobox', { name: 'Field for Datum' })).toHaveValue('');
});

it('saves the columns under a name, and asks before it replaces a mapping', async () => {
  const { user } = open();
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Field for Column 3' }, slow), 'SKU');
  await user.click(await saveButton());
  const form = within(screen.getByRole('dialog', { name: 'Save this mapping' }));
  expect(form.getByText(/Columns without a heading aren't saved\./)).toBeInTheDocument();
  await user.type(form.getByRole('textbox', { name: /^Name/ }), 'ACME orders');
  await user.click(form.getByRole('button', { name: 'Save' }));
  const question = () => within(screen.getByRole('alertdialog', { name: 'Replace ACME orders?' }));
  await screen.findByRole('alertdialog');
  await expectAccessible();
  await user.click(question().getByRole('button', { name: 'Cancel' }));
  expect(await form.findByText('Taken.')).toBeInTheDocument();
  expect(calls).toHaveLength(1);
  await user.click(form.getByRole('button', { name: 'Save' }));
  await screen.findByRole('alertdialog');
  await user.click(question().getByRole('button', { name: 'Replace mapping' }));
  await screen.findByText('ACME orders saved');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  const input = {
    uploadLog: 'u1',
    sheet: 'Notes',
    headerLine: 2,
    name: 'ACME orders',
    fields: ['delivery_id', null, 'sku'],
    dateOrder: null,
    decimalSign: null,
    defaults: [],
    replace: true,
  };
  expect(calls.at(-1)).toEqual(input);
  expect(drafts.at(-1)).toMatchObject({ fields: input.fields, savedMapping: 'm9' });
});

it('renames and deletes a mapping', async () => {
  const { user } = open();
  await user.click(await listButton());
  const list = await panel();
  await user.click(await list.findByRole('button', { name: 'Actions for Acme orders' }));
  await user.click(screen.getByRole('menuitem', { name: 'Rename' }));
  const name = within(screen.getByRole('dialog', { name: 'Rename Acme orders' })).getByRole('textbox', { name: /^Name/ });
  expect(name).toHaveValue('Acme orders');
  await user.clear(name);
  await user.type(name, 'Acme daily{Enter}');
  await list.findByRole('button', { name: /^Acme daily/ });
  await user.click(list.getByRole('button', { name: 'Actions for Acme daily' }));
  await user.click(screen.getByRole('menuitem', { name: 'Delete' }));
  await user.click(screen.getByRole('button', { name: 'Delete mapping' }));
  await waitFor(() => expect(list.queryByRole('button', { name: /^Acme daily/ })).not.toBeInTheDocument());
  expect(calls).toEqual([{ id: 'm1', name: 'Acme daily' }, { id: 'm1' }]);
});

it('says when the chosen mapping was deleted', async () => {
  const { user } = open({ mappings: [saved('gone', 'Old')] });
  await user.click(await listButton());
  const old = await (await panel()).findByRole('button', { name: /^Old/ });
  // Somebody deletes it in the meantime.
  open({ mappings: [] });
  await user.click(old);
  await screen.findByText(/This saved mapping was deleted\./);
});

it('does not say that the chosen mapping was deleted when it could not be read', async () => {
  const { user } = open();
  await user.click(await listButton());
  const weekly = await (await panel()).findByRole('button', { name: /^Weekly/ });
  isUnreadable = true;
  await user.click(weekly);
  await screen.findByText("Couldn't refresh. What you see may be out of date.");
  expect(screen.queryByText(/This saved mapping was deleted/)).not.toBeInTheDocument();
  isUnreadable = false;
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByText('Saved mapping Weekly applied');
});

it('says that there are none yet', async () => {
  const { user } = open({ mappings: [] });
  await user.click(await listButton());
  await (await panel()).findByText(/^No saved mappings yet\./);
  await expectAccessible();
});

it('offers to load them again', async () => {
  const { user } = open({ mappings: 'failing' });
  await user.click(await listButton());
  const list = await panel();
  expect(await list.findByRole('button', { name: 'Retry' }, slow)).toBeInTheDocument();
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(await listButton()).toHaveFocus();
});
