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

let saved: unknown[];
let drafts: unknown[];
let refusal: string | undefined;
let reopened: unknown[];
let discarded: unknown[];
/** Holds back the answers to drafts. */
let held: Promise<void> | undefined;
let draftFailure: string | undefined;
let discardFailure: string | undefined;
/** Whether the mapping can't be read. */
let isUnreadable = false;
/** Whether the server warns about the sheet that isn't chosen. */
let warns = false;

const leftOut = (sheet: string | undefined) => ({
  __typename: 'UploadWarning',
  number: 0,
  line: null,
  sheet: null,
  column: null,
  code: 'SHEET_NOT_READ',
  text: `The sheet “${sheet === 'Orders' ? 'Notes' : 'Orders'}” has content that this import leaves out.`,
});

function open(user: Record<string, unknown> = rosa, changes: Record<string, unknown> = {}) {
  saved = [];
  drafts = [];
  reopened = [];
  discarded = [];
  refusal = undefined;
  held = undefined;
  draftFailure = undefined;
  discardFailure = undefined;
  warns = false;
  isUnreadable = false;
  let log = uploadLog({ status: 'needs_mapping', columnsChosen: true, rowsTotal: 0, ...changes });
  startFakeServer({
    user,
    operations: {
      UploadedDetails: () => ({ data: { uploadLog: log } }),
      ImportMapping: (variables) => {
        const asked = variables as Asked;
        if (isUnreadable) return { errors: [{ message: 'Try later.', extensions: { code: 'UNAVAILABLE' } }] };
        const warnings = warns ? [leftOut(asked.sheet)] : [];
        return { data: { importMapping: { ...importMapping(asked, log.dryRun), warnings } } };
      },
      SaveImportMapping: async (variables) => {
        const { draft } = (variables as { input: { draft?: boolean } }).input;
        if (draft) {
          drafts.push(variables);
          await held;
          if (draftFailure !== undefined) return { errors: [{ message: draftFailure }] };
          return { data: { saveImportMapping: { __typename: 'UploadLog', id: 'u1', status: 'needs_mapping' } } };
        }
        saved.push(variables);
        if (refusal !== undefined) {
          return { errors: [{ message: refusal, extensions: { code: 'BAD_USER_INPUT' } }] };
        }
        log = uploadLog();
        return { data: { saveImportMapping: { __typename: 'UploadLog', id: 'u1', status: 'uploaded' } } };
      },
      CancelUpload: (variables) => {
        discarded.push(variables);
        if (discardFailure !== undefined) {
          return { errors: [{ message: discardFailure, extensions: { code: 'BAD_USER_INPUT' } }] };
        }
        const failureText = 'The import was canceled before it started. Nothing was imported.';
        log = uploadLog({ status: 'failed', failureCode: 'IMPORT_CANCELLED', failureText, rowsTotal: 0, rowsCreated: 0, rowsUpdated: 0 });
        return { data: { cancelUpload: { __typename: 'UploadLog', id: 'u1', status: 'failed' } } };
      },
      ChooseImportColumns: (variables) => {
        reopened.push(variables);
        log = uploadLog({ status: 'needs_mapping', columnsChosen: true, dryRun: true });
        return { data: { chooseImportColumns: { __typename: 'UploadLog', id: 'u1', status: 'checking' } } };
      },
    },
  });
  return renderRoutes(declarations, '/uploaded-details/u1');
}

const steps = () =>
  within(screen.getByRole('list', { name: 'Steps of this import' }))
    .getAllByRole('listitem')
    .map((item) => `${item.textContent?.replace(/^\d/, '')}${item.getAttribute('aria-current') === 'step' ? ' *' : ''}`);

it('shows columns with examples, proposes fields, and goes on once all required ones are chosen', async () => {
  const { user } = open();
  const table = within(await screen.findByRole('table', { name: 'Columns in the file' }, slow));
  const cells = table.getAllByRole('row').map(({ children }) => [...children].map((it) => it.textContent));
  expect(cells.map((row) => [...row.slice(0, 2), row[3]])).toEqual([
    ['Column in your file', 'Sample values', 'Match'],
    ['Beleg', 'DR-1DR-2', 'Check this'],
    ['Datum', '03/04/2026', 'Not mapped'],
    ['Column 3', 'No values', 'Skipped'],
  ]);
  expect(steps()).toEqual(['File, done', 'Columns *', 'Import', 'Result']);
  expect(screen.getByText('sheet Notes, header row 2, 2 rows')).toBeInTheDocument();
  expect(screen.getByText('It could be Delivery Doc or Reference Doc. Delivery Doc is selected.')).toBeInTheDocument();
  expect(screen.getByRole('combobox', { name: 'Field for Beleg' })).toHaveValue('delivery_id');
  expect(screen.getByText('Choose a column or add a default value. Still missing: Dispatch Date and Time')).toBeInTheDocument();
  expect(screen.getByText('1 of 2 required matched')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Import the file' })).toBeDisabled();
  await expectAccessible();

  // A separate date column replaces the combined date and time column.
  await user.selectOptions(screen.getByRole('combobox', { name: 'Field for Datum' }), 'Dispatch Date');
  expect(screen.getByText('All required fields have values.')).toBeInTheDocument();
  expect(table.getByRole('row', { name: /Datum/ })).toHaveTextContent('Your choice');
  refusal = 'Not like that.';
  await user.click(screen.getByRole('button', { name: 'Import the file' }));
  await screen.findByText('Not like that.');
  refusal = undefined;
  await user.click(screen.getByRole('button', { name: 'Import the file' }));
  await screen.findByText('Done. All 10 rows were read.', undefined, slow);
  const fields = ['delivery_id', 'scheduledate', null];
  expect(saved.at(-1)).toEqual({
    input: {
      uploadLog: 'u1',
      sheet: 'Notes',
      headerLine: 2,
      fields,
      dateOrder: null,
      decimalSign: null,
      defaults: [],
      items: null,
    },
  });
});

it('takes values that the file lacks, and several columns for one text', async () => {
  const { user } = open();
  const address = 'Customer Address';
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Field for Datum' }, slow), address);
  await user.selectOptions(screen.getByRole('combobox', { name: 'Field for Column 3' }), address);
  expect(screen.getByText('Joined with Column 3')).toBeInTheDocument();
  expect(screen.getByText('Joined with Datum')).toBeInTheDocument();
  // Each choice is kept on the server at once.
  await waitFor(() => expect(drafts).toHaveLength(2));
  expect(drafts.at(-1)).toMatchObject({ input: { fields: ['delivery_id', 'customeraddress', 'customeraddress'] } });

  const add = screen.getByRole('button', { name: 'Add a default value' });
  await user.click(add);
  expect(screen.queryByRole('menuitem', { name: 'Delivery Doc' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('menuitem', { name: 'Dispatch Date' }));
  const value = screen.getByRole('textbox', { name: 'Dispatch Date' });
  expect(value).toHaveFocus();
  expect(value).toHaveAccessibleDescription('For all rows');
  const proceed = screen.getByRole('button', { name: 'Import the file' });
  expect(proceed).toBeDisabled();
  await user.type(value, 'soon');
  expect(await screen.findByText('Not a date.')).toBeInTheDocument();
  expect(proceed).toBeDisabled();
  await user.clear(value);
  await user.type(value, '2026-12-24');
  await waitFor(() => expect(proceed).toBeEnabled());
  await expectAccessible();

  await user.click(add);
  await user.click(screen.getByRole('menuitem', { name: address }));
  const added = screen.getByRole('textbox', { name: address });
  expect(added).toHaveAccessibleDescription('For rows whose cell is empty');
  // Text that is too long for the server is not cut.
  await user.paste('x'.repeat(501));
  expect(added).toHaveValue('x'.repeat(501));
  await user.click(screen.getByRole('button', { name: `Remove the default value for ${address}` }));
  expect(screen.queryByRole('textbox', { name: address })).not.toBeInTheDocument();
  expect(add).toHaveFocus();
  await user.click(proceed);
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]).toMatchObject({
    input: {
      fields: ['delivery_id', 'customeraddress', 'customeraddress'],
      defaults: [{ field: 'scheduledate', value: '2026-12-24' }],
    },
  });
});

it('shows what dates become in both orders, and saves the chosen one', async () => {
  const { user } = open();
  await user.selectOptions(
    await screen.findByRole('combobox', { name: 'Field for Datum' }, slow),
    'Dispatch Date',
  );
  const order = await screen.findByRole('combobox', { name: 'Date order' });
  expect(order).toHaveDisplayValue('As the file shows (Month first)');
  const examples = screen.getByRole('list', { name: 'Examples from Datum' });
  expect(examples).toHaveTextContent('03/04/2026→becomesMarch 4, 2026Day first: April 3, 2026');
  await user.selectOptions(order, 'dmy');
  await waitFor(() => expect(examples).toHaveTextContent('becomesApril 3, 2026Month first: March 4, 2026'));
  await expectAccessible();
  await user.click(screen.getByRole('button', { name: 'Import the file' }));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]).toMatchObject({ input: { dateOrder: 'dmy', decimalSign: null } });
});

it('lets another row be the header, and another sheet be read', async () => {
  const { user } = open();
  await user.selectOptions(
    await screen.findByRole('combobox', { name: 'Header row' }, slow),
    'Row 1: Orders of Monday',
  );
  await screen.findByRole('combobox', { name: 'Field for Orders of Monday' });
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Header row' })).toHaveValue('1'));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Sheet' }), 'Orders (2 rows)');
  await screen.findByText('sheet Orders, header row 1, 2 rows');
  const undecided = { uploadLog: 'u1', fields: [], dateOrder: null, decimalSign: null, defaults: [], items: null, draft: true };
  await waitFor(() => expect(drafts).toHaveLength(2));
  expect(drafts).toEqual([
    { input: { ...undecided, sheet: 'Notes', headerLine: 1 } },
    { input: { ...undecided, sheet: 'Orders', headerLine: 1 } },
  ]);
});

it('imports nothing while the chosen sheet could not be read, and reads it again', async () => {
  const { user } = open();
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Field for Datum' }, slow), 'Dispatch Date');
  const proceed = screen.getByRole('button', { name: 'Import the file' });
  await waitFor(() => expect(proceed).toBeEnabled());
  isUnreadable = true;
  await user.selectOptions(screen.getByRole('combobox', { name: 'Sheet' }), 'Orders (2 rows)');
  await screen.findByText("Couldn't refresh. What you see may be out of date.");
  expect(screen.getByText(/^sheet Notes/)).toBeInTheDocument();
  expect(proceed).toBeDisabled();
  await expectAccessible();
  isUnreadable = false;
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByText(/^sheet Orders/);
  expect(screen.queryByText(/^Couldn't refresh/)).not.toBeInTheDocument();
});

it('lists what to check about the file while another sheet can still be chosen', async () => {
  const { user } = open();
  warns = true;
  const region = await screen.findByRole('region', { name: 'Warnings to check' }, slow);
  const rows = () => within(region).getAllByRole('row').map(({ textContent }) => textContent);
  expect(rows()).toEqual(['RowColumnMessage', 'NoneNoneThe sheet “Orders” has content that this import leaves out.']);
  expect(screen.getByText('1 warning')).toBeInTheDocument();
  await expectAccessible();

  await user.selectOptions(screen.getByRole('combobox', { name: 'Sheet' }), 'Orders (2 rows)');
  await waitFor(() => expect(rows()[1]).toContain('The sheet “Notes” has content'));
  warns = false;
  await user.selectOptions(screen.getByRole('combobox', { name: 'Sheet' }), 'Notes (2 rows)');
  await waitFor(() => expect(screen.queryByText('Warnings to check')).not.toBeInTheDocument());
});

it('keeps the last of several quick choices, and says when one could not be kept', async () => {
  const { user } = open();
  const field = await screen.findByRole('combobox', { name: 'Field for Datum' }, slow);
  let release = () => {};
  held = new Promise((resolve) => {
    release = resolve;
  });
  for (const name of ['Dispatch Date', 'Customer Address', 'SKU']) await user.selectOptions(field, name);
  expect(drafts).toHaveLength(1);
  release();
  await waitFor(() => expect(drafts).toHaveLength(2));
  expect(drafts[1]).toMatchObject({ input: { fields: ['delivery_id', 'sku', null] } });

  draftFailure = 'The file could not be opened.';
  await user.selectOptions(field, 'Dispatch Date');
  expect(await screen.findByText('The file could not be opened.')).toBeInTheDocument();
});

it('joins the items of another sheet', async () => {
  const { user } = open();
  const choice = await screen.findByRole('combobox', { name: 'Sheet with the items' }, slow);
  expect(choice).toHaveDisplayValue('None');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Field for Datum' }), 'Dispatch Date');
  await user.selectOptions(choice, 'Orders (2 rows)');
  const table = within(await screen.findByRole('table', { name: 'Columns of Orders' }));
  await waitFor(() =>
    expect(drafts.at(-1)).toMatchObject({ input: { sheet: 'Notes', items: { sheet: 'Orders' } } }),
  );
  expect(table.getByRole('combobox', { name: 'Field for Beleg in Orders' })).toHaveValue('delivery_id');
  const article = table.getByRole('combobox', { name: 'Field for Artikel in Orders' });
  // A field of one sheet can't be one of the other sheet, too.
  expect(within(article).getByRole('option', { name: 'Dispatch Date' })).toBeDisabled();
  await user.selectOptions(article, 'SKU');
  const own = within(screen.getByRole('table', { name: 'Columns in the file' }));
  const named = own.getByRole('combobox', { name: 'Field for Datum' });
  expect(within(named).getByRole('option', { name: 'SKU' })).toBeDisabled();
  expect(within(named).getByRole('option', { name: 'Delivery Doc *' })).toBeDisabled();
  await expectAccessible();

  const items = { sheet: 'Orders', headerLine: 1, fields: ['delivery_id', 'sku'] };
  await waitFor(() =>
    expect(drafts.at(-1)).toMatchObject({ input: { fields: ['delivery_id', 'scheduledate', null], items } }),
  );
  await user.selectOptions(screen.getByRole('combobox', { name: 'Header row of the items' }), '2');
  await waitFor(() => expect(drafts.at(-1)).toMatchObject({ input: { items: { sheet: 'Orders', headerLine: 2 } } }));
  await user.selectOptions(choice, 'None');
  expect(screen.queryByRole('table', { name: 'Columns of Orders' })).not.toBeInTheDocument();
  await waitFor(() => expect(drafts.at(-1)).toMatchObject({ input: { items: null } }));
  await user.selectOptions(choice, 'Orders (2 rows)');
  await screen.findByRole('table', { name: 'Columns of Orders' });
  await waitFor(() => expect(screen.getByRole('button', { name: 'Import the file' })).toBeEnabled());
  await user.click(screen.getByRole('button', { name: 'Import the file' }));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]).toMatchObject({ input: { items: { ...items, fields: ['delivery_id', null] } } });
});

it('is reached from a check, and leads back to one', async () => {
  const { user } = open(rosa, { status: 'validated', columnsChosen: false, dryRun: true });
  expect(await screen.findByText('Nothing has been imported yet', undefined, slow)).toBeInTheDocument();
  expect(steps()).toEqual(['File, done', 'Review *', 'Import', 'Result']);
  await user.click(screen.getByRole('button', { name: 'Change how the file is read' }));
  await screen.findByRole('button', { name: 'Check the file' }, slow);
  expect(reopened).toEqual([{ input: { uploadLog: 'u1' } }]);
  expect(steps()).toEqual(['File, done', 'Columns *', 'Review', 'Import', 'Result']);
  expect(screen.getByRole('heading', { level: 2, name: 'dispatch-1121.csv' })).toHaveFocus();
});

it.each(['needs_mapping', 'validated'])('discards an import that waits (%s), once that is confirmed', async (status) => {
  const { user } = open(rosa, { status, dryRun: true });
  await user.click(await screen.findByRole('button', { name: 'Discard import' }, slow));
  let dialog = within(screen.getByRole('alertdialog', { name: /^Discard the import of / }));
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect(discarded).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Discard import' }));
  dialog = within(screen.getByRole('alertdialog'));
  await expectAccessible();
  await user.click(dialog.getByRole('button', { name: 'Discard import' }));
  await screen.findByText('The import was canceled before it started. Nothing was imported.', undefined, slow);
  expect(discarded).toEqual([{ input: { id: 'u1' } }]);
});

it('says why an import cannot be discarded', async () => {
  const { user } = open();
  discardFailure = 'The import has ended already.';
  await user.click(await screen.findByRole('button', { name: 'Discard import' }, slow));
  const dialog = within(screen.getByRole('alertdialog'));
  await user.click(dialog.getByRole('button', { name: 'Discard import' }));
  expect(await dialog.findByText('The import has ended already.')).toBeInTheDocument();
});

it('shows users without import permission what is needed, without the buttons', async () => {
  open({ ...rosa, roles: ['viewer'] });
  await screen.findByText('Someone with permission to import has to match the columns.', undefined, slow);
  expect(screen.queryByRole('button', { name: 'Import the file' })).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Discard import' })).not.toBeInTheDocument();
});

it('says that imports are paused, where the step begins one', async () => {
  const paused = { ...rosa, settings: { importPausedUntil: '2126-01-31T06:00' } };
  const { unmount } = open(paused);
  await screen.findByText('Imports are paused', undefined, slow);
  unmount();
  open(paused, { dryRun: true });
  await screen.findByRole('button', { name: 'Check the file' }, slow);
  expect(screen.queryByText('Imports are paused')).not.toBeInTheDocument();
});
