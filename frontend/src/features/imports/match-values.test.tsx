import { screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { uploadLog } from '@/test/deliveries';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';

const slow = { timeout: 15_000 };
vi.setConfig({ testTimeout: 20_000 });

type Field = 'driver' | 'customer' | 'trucker';

const target = (name: string, label = name) => ({ __typename: 'ImportValueTarget', name, label });

function value(field: Field, text: string, rows: number, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'ImportValue',
    field,
    value: text,
    rows,
    suggestions: [] as unknown[],
    choice: null as string | null,
    target: null as unknown,
    remembered: false,
    ...changes,
  };
}

interface Matched {
  input: { values: { field: Field; value: string; choice: string | null; target: string | null }[] };
}

let server: FakeServer;
let saved: Matched['input']['values'];
let checkedAgain: number;
let failure: string | undefined;
/** Whether a choice is stored, but answered with an error. */
let isLost: boolean;
let committed: number;
/** Whether the file has to be checked again before the import. */
let isOutdated: boolean;
/** Holds back the answer to a choice. */
let held: Promise<void> | undefined;

/** Answers like the server for a checked file; each saved choice is kept. */
function open(options: { values?: ReturnType<typeof value>[]; refuse?: boolean; log?: Record<string, unknown> } = {}) {
  saved = [];
  checkedAgain = 0;
  failure = undefined;
  isLost = false;
  committed = 0;
  isOutdated = false;
  held = undefined;
  const values = options.values ?? [
    value('customer', 'Acmee', 214, { suggestions: [target('Acme'), target('Acme Manila')] }),
    value('driver', 'D-9', 3, { suggestions: [target('D-1', 'Ana Cruz (D-1)')] }),
    value('trucker', 'Isla', 1, { choice: 'use', target: target('Isla Express'), remembered: true }),
  ];
  const undecided = () => values.filter(({ choice }) => choice === null).length;
  let log = uploadLog({
    status: 'validated',
    dryRun: true,
    valuesToMatch: values.length,
    valuesUndecided: undecided(),
    ...options.log,
  });
  server = startFakeServer({
    user: rosa,
    operations: {
      UploadedDetails: () => ({ data: { uploadLog: log } }),
      ImportValues: () => ({
        data: {
          importValues: { __typename: 'ImportValues', values, refuseUnknownDrivers: options.refuse ?? false },
        },
      }),
      MatchImportValues: async (variables) => {
        await held;
        const [chosen] = (variables as unknown as Matched).input.values;
        if (!chosen) throw new Error('nothing was chosen');
        saved.push(chosen);
        if (failure !== undefined) {
          return { errors: [{ message: failure, extensions: { code: 'BAD_USER_INPUT' } }] };
        }
        const own = values.find((it) => it.field === chosen.field && it.value === chosen.value);
        Object.assign(own ?? {}, {
          choice: chosen.choice,
          target: chosen.target === null ? null : target(chosen.target),
          remembered: false,
        });
        log = { ...log, valuesUndecided: undecided(), changedSinceCheck: true };
        if (isLost) {
          const extensions = { code: 'UNAVAILABLE', reason: 'ANSWER_LOST' };
          return { errors: [{ message: 'No answer arrived in time.', extensions }] };
        }
        const { id, valuesToMatch, valuesUndecided, changedSinceCheck } = log;
        return {
          data: { matchImportValues: { __typename: 'UploadLog', id, valuesToMatch, valuesUndecided, changedSinceCheck } },
        };
      },
      CommitUpload: () => {
        committed += 1;
        if (isOutdated) {
          const extensions = { code: 'FAILED_PRECONDITION', reason: 'TIME_ZONE_CHANGED' };
          return { errors: [{ message: 'The time zone is UTC now. Check it again.', extensions }] };
        }
        return { data: { commitUpload: { __typename: 'UploadLog', id: 'u1', status: 'importing' } } };
      },
      CheckImportAgain: () => {
        checkedAgain += 1;
        isOutdated = false;
        log = { ...log, changedSinceCheck: false, finishedAt: '2026-11-20T01:31:41Z' };
        return { data: { checkImportAgain: { __typename: 'UploadLog', id: 'u1', status: 'checking' } } };
      },
      CustomersLookup: () => ({
        data: { customers: [{ __typename: 'Customer', customerName: 'Zenith', customerEmail: null }] },
      }),
    },
  });
  return renderRoutes(declarations, '/uploaded-details/u1');
}

const steps = () =>
  within(screen.getByRole('list', { name: 'Steps of this import' }))
    .getAllByRole('listitem')
    .map((item) => `${item.textContent?.replace(/^\d/, '')}${item.getAttribute('aria-current') === 'step' ? ' *' : ''}`);
const reads = () => server.calls.filter(({ name }) => name === 'ImportValues').length;
const choiceOf = (name: string) => screen.findByRole('combobox', { name: `Import ${name} as` }, slow);

it('lists unknown values, saves each choice, and checks again', async () => {
  const { user } = open();
  const acmee = await choiceOf('Acmee');
  expect(screen.getByText('1 of 3 chosen')).toBeInTheDocument();
  expect(steps()).toEqual(['File, done', 'Values *', 'Review', 'Import', 'Result']);
  const headings = screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);
  expect(headings).toEqual(['Drivers', 'Customers', 'Truckers']);
  const customers = within(screen.getByRole('table', { name: 'Customers' }));
  expect(customers.getByRole('row', { name: /Acmee/ })).toHaveTextContent(/214.*Not chosen$/);
  expect(screen.getByRole('row', { name: /Isla/ })).toHaveTextContent('From an earlier file');
  expect(await choiceOf('Isla')).toHaveDisplayValue('Isla Express');
  expect(within(acmee).getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    'Not chosen yet',
    'Acme',
    'Acme Manila',
    'Choose another customer…',
    'Create a new customer',
  ]);
  expect(screen.queryByRole('button', { name: 'Check again' })).not.toBeInTheDocument();
  await expectAccessible();

  await user.click(screen.getByRole('button', { name: 'Use Acme for Acmee' }));
  expect(acmee).toHaveDisplayValue('Acme');
  await user.selectOptions(await choiceOf('D-9'), 'Keep the unknown ID');
  await waitFor(() => expect(saved).toHaveLength(2));
  expect(saved).toEqual([
    { field: 'customer', value: 'Acmee', choice: 'use', target: 'Acme' },
    { field: 'driver', value: 'D-9', choice: 'keep', target: null },
  ]);
  await screen.findByText('3 of 3 chosen');
  await waitFor(() => expect(steps()).toContain('Values, done'));
  expect(reads()).toBe(1);
  expect(customers.getByRole('row', { name: /Acmee/ })).toHaveTextContent('Your choice');
  const again = await screen.findByRole('button', { name: 'Check again' });
  expect(steps()).toEqual(['File, done', 'Values, done', 'Review *', 'Import', 'Result']);
  await expectAccessible();
  await user.click(again);
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Check again' })).not.toBeInTheDocument());
  expect(checkedAgain).toBe(1);
  expect(await choiceOf('Acmee')).toHaveDisplayValue('Acme');
});

it('offers another check if the import asks for one', async () => {
  const { user } = open({ values: [] });
  isOutdated = true;
  await user.click(await screen.findByRole('button', { name: 'Import now' }, slow));
  await user.click(await screen.findByRole('button', { name: 'Check again' }, slow));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Check again' })).not.toBeInTheDocument());
  expect([committed, checkedAgain]).toEqual([1, 1]);
});

it('searches for another record by keyboard, and takes a choice back', async () => {
  const { user } = open();
  await user.selectOptions(await choiceOf('Acmee'), 'Choose another customer…');
  const search = await screen.findByRole('combobox', { name: /Existing customer for Acmee/ });
  await user.click(search);
  await user.keyboard('Zen');
  await screen.findByRole('option', { name: /Zenith/ }, slow);
  await expectAccessible();
  await user.keyboard('{ArrowDown}{Enter}');
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]).toEqual({ field: 'customer', value: 'Acmee', choice: 'use', target: 'Zenith' });
  expect(await choiceOf('Acmee')).toHaveDisplayValue('Zenith');
  expect(await choiceOf('Acmee')).toHaveFocus();
  await user.selectOptions(await choiceOf('Acmee'), 'Not chosen yet');
  await waitFor(() => expect(saved[1]).toEqual({ field: 'customer', value: 'Acmee', choice: null, target: null }));
});

it('says why a choice was not saved, and shows what is', async () => {
  const { user } = open({ refuse: true });
  failure = 'There is no customer Acme.';
  await user.selectOptions(await choiceOf('Acmee'), 'Acme');
  await screen.findByText(/There is no customer Acme/);
  await waitFor(async () => expect(await choiceOf('Acmee')).toHaveDisplayValue('Not chosen yet'));
  expect(screen.getByText('Until you choose, these rows are refused.')).toBeInTheDocument();
  expect(within(await choiceOf('D-9')).getByRole('option', { name: 'Leave the rows refused' })).toBeInTheDocument();
});

it('shows the choice that was saved before one that was refused', async () => {
  const { user } = open();
  await user.selectOptions(await choiceOf('Acmee'), 'Acme');
  await screen.findByText('2 of 3 chosen');
  await waitFor(() => expect(saved).toHaveLength(1));
  failure = 'There is no customer Acme Manila.';
  await user.selectOptions(await choiceOf('Acmee'), 'Acme Manila');
  await screen.findByText(/There is no customer Acme Manila/);
  await waitFor(async () => expect(await choiceOf('Acmee')).toHaveDisplayValue('Acme'));
});

it('shows a choice that was saved although its answer was lost', async () => {
  const { user } = open();
  isLost = true;
  await user.selectOptions(await choiceOf('Acmee'), 'Acme');
  await screen.findByText('No answer arrived in time.');
  // The import would take the choice, so the file has to be checked again.
  await screen.findByRole('button', { name: 'Check again' }, slow);
  expect(await choiceOf('Acmee')).toHaveDisplayValue('Acme');
});

it('imports at the first click after a choice that was not saved', async () => {
  const { user } = open();
  failure = 'There is no customer Acme.';
  await user.selectOptions(await choiceOf('Acmee'), 'Acme');
  await screen.findByText(/There is no customer Acme/);
  await user.click(screen.getByRole('button', { name: 'Import now' }));
  await waitFor(() => expect(committed).toBe(1));
});

it('does not import while a choice under way may not be saved', async () => {
  const { user } = open();
  let answer: () => void = () => undefined;
  held = new Promise((resolve) => (answer = resolve));
  failure = 'There is no customer Acme.';
  await user.selectOptions(await choiceOf('Acmee'), 'Acme');
  await user.click(screen.getByRole('button', { name: 'Import now' }));
  answer();
  await screen.findByText(/There is no customer Acme/);
  await waitFor(() => expect(screen.getByRole('button', { name: 'Import now' })).toBeEnabled());
  expect(committed).toBe(0);
});

it('shows the first 25 values of a field, and the others on request', async () => {
  const values = Array.from({ length: 30 }, (_, index) => value('customer', `Store ${index}`, 1));
  const { user } = open({ values });
  const table = await screen.findByRole('table', { name: 'Customers' }, slow);
  expect(within(table).getAllByRole('row')).toHaveLength(26);
  await user.click(screen.getByRole('button', { name: 'Show 5 more values' }));
  expect(within(table).getAllByRole('row')).toHaveLength(31);
});

it('is no step of a file whose values are known', async () => {
  open({ values: [] });
  await screen.findByText('Nothing has been imported yet', undefined, slow);
  expect(steps()).toEqual(['File, done', 'Review *', 'Import', 'Result']);
  expect(screen.queryByRole('heading', { name: 'Match values' })).not.toBeInTheDocument();
});

it('names the values of an import that became existing records', async () => {
  open({ log: { status: 'imported', valuesUndecided: 0 } });
  const panel = within(await screen.findByRole('region', { name: 'Matched values' }, slow));
  const rows = panel.getAllByRole('row').map(({ children }) => [...children].map((it) => it.textContent));
  expect(rows).toEqual([
    ['Value in the file', 'Imported as', 'Rows'],
    ['Isla', 'Isla Express', '1'],
  ]);
  await expectAccessible();
});
