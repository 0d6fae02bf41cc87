import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { uploadLog } from '@/test/deliveries';
import { rosa, startFakeServer } from '@/test/fake-server';
import { FakeSocket } from '@/test/fake-socket';
import { renderRoutes } from '@/test/render';

const slow = { timeout: 15_000 };
vi.setConfig({ testTimeout: 20_000 });

let answers: Record<string, unknown>[];
let actions: { path: string; key: string | null }[];
let undoAnswers: { body: unknown; status: number }[];
let asked: unknown[];
/** Whether the second page of what was not undone fails. */
let failing: boolean;

const counts = { ok: true, uploadLog: 'u1', dryRun: true, reversed: 8, kept: 2, failed: 1, total: 11 };
const report = (reversed: number, kept: number, errored: number) => ({
  __typename: 'UndoReport',
  reversed,
  kept,
  errored,
  total: 11,
});

const exceptions = [
  {
    __typename: 'UndoException',
    deliveryId: 'DR-2',
    result: 'kept',
    code: 'DELIVERY_TOUCHED',
    touchedBy: 'ben',
    touchedAt: '2026-11-20T02:00:00Z',
  },
  {
    __typename: 'UndoException',
    deliveryId: 'DR-3',
    result: 'errored',
    code: 'PREVIOUS_VALUES_NOT_KEPT',
    touchedBy: null,
    touchedAt: null,
  },
];

function open(...logs: Record<string, unknown>[]) {
  answers = logs;
  const mutation = (name: string) => (variables: unknown) => {
    asked.push([name, variables]);
    return { data: { [name]: { __typename: 'UploadLog', id: 'u1', status: 'undoing' } } };
  };
  startFakeServer({
    user: rosa,
    operations: {
      UploadedDetails: () => ({
        data: { uploadLog: answers.length > 1 ? answers.shift() : answers[0] },
      }),
      UndoExceptions: ({ page }) => {
        const isFirst = (page as { offset: number }).offset === 0;
        if (failing && !isFirst) return { errors: [{ message: 'Too busy' }] };
        return { data: { undoExceptions: isFirst ? exceptions : [{ ...exceptions[0], deliveryId: 'DR-27' }] } };
      },
      UploadChanges: () => ({
        data: {
          uploadChanges: [
            {
              __typename: 'UploadChange',
              deliveryId: 'DR-1',
              itemNumber: '2',
              field: 'quantity',
              before: '5',
              after: '9',
            },
            {
              __typename: 'UploadChange',
              deliveryId: 'DR-1',
              itemNumber: null,
              field: 'trucker',
              before: null,
              after: 'Isla Express',
            },
            {
              __typename: 'UploadChange',
              deliveryId: 'DR-1',
              itemNumber: null,
              field: 'scheduledatetime',
              before: null,
              after: '2026-11-30T00:30:00.000000Z',
            },
          ],
        },
      }),
      CommitUpload: mutation('commitUpload'),
      CancelUpload: mutation('cancelUpload'),
    },
  });
  const graphql = fetch;
  vi.stubGlobal('fetch', (input: string, init?: RequestInit) => {
    if (!input.startsWith('/undo-uploaded-deliveries')) return graphql(input, init);
    actions.push({ path: input, key: new Headers(init?.headers).get('idempotency-key') });
    const answer = undoAnswers.length > 1 ? undoAnswers.shift() : undoAnswers[0];
    const { body, status } = answer ?? { body: {}, status: 500 };
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
  return renderRoutes(declarations, '/uploaded-details/u1');
}

beforeEach(() => {
  actions = [];
  asked = [];
  failing = false;
  undoAnswers = [{ body: counts, status: 200 }];
});

const undoable = { undoAllowed: true, undoableUntil: '2026-11-21T01:30:41Z' };

it('counts first, asks, and shows what became of each delivery', async () => {
  const undoing = { status: 'undoing', undoReport: report(3, 1, 0) };
  const undone = {
    status: 'partly_undone',
    undoReport: report(8, 2, 1),
    undoneBy: 'rosa',
    undoneAt: '2026-11-20T03:00:00Z',
  };
  FakeSocket.install();
  const { user } = open(uploadLog(undoable), uploadLog(undoing), uploadLog(undone));
  await user.click(await screen.findByRole('button', { name: 'Undo import' }, slow));
  const dialog = within(await screen.findByRole('alertdialog', { name: 'Undo this import?' }));
  const value = (label: string) => dialog.getByText(label).nextElementSibling?.textContent;
  await dialog.findByText('Will be undone');
  expect(value('Will be undone')).toBe('8');
  expect(value('Kept because someone changed them since')).toBe('2');
  expect(value("Can't be undone")).toBe('1');
  expect(actions.map(({ path }) => path)).toEqual([
    '/undo-uploaded-deliveries?uploadLog=u1&dryRun=true',
  ]);
  await expectAccessible();

  await user.click(dialog.getByRole('button', { name: 'Undo import' }));
  const progress = await screen.findByRole('progressbar', { name: 'Undoing the import' }, slow);
  expect(progress).toHaveAttribute('aria-valuenow', '36');
  expect(actions.at(-1)?.path).toBe('/undo-uploaded-deliveries?uploadLog=u1');
  expect(actions.at(-1)?.key).toMatch(/^[0-9a-f-]{36}$/);
  await expectAccessible();

  await waitFor(() => expect(FakeSocket.last().open('uploadLogChanged')).toHaveLength(1));
  act(() =>
    FakeSocket.last().push({
      uploadLogChanged: { __typename: 'UploadLog', id: 'u1', status: 'partly_undone', bytesRead: 400, rowsTotal: 11 },
    }),
  );
  const row = await screen.findByRole('row', { name: /DR-2/ }, slow);
  expect(row).toHaveTextContent('Changed since the import');
  expect(row).toHaveTextContent('ben');
  expect(within(row).getByRole('link', { name: 'DR-2' })).toHaveAttribute('href', '/view-delivery/DR-2');
  expect(screen.getByRole('row', { name: /DR-3/ })).toHaveTextContent(
    'The previous values are no longer kept',
  );
  expect(screen.getByText('Undone', { selector: 'dt' }).nextElementSibling).toHaveTextContent('8');
  expect(screen.queryByRole('button', { name: 'Undo import' })).not.toBeInTheDocument();
  await expectAccessible();
});

it('says that the next page failed, instead of showing the rows of the page before', async () => {
  failing = true;
  const { user } = open(uploadLog({ status: 'partly_undone', undoReport: report(3, 30, 0) }));
  await screen.findByRole('row', { name: /DR-2/ }, slow);
  await user.click(screen.getByRole('button', { name: 'Next' }));
  const retry = await screen.findByRole('button', { name: 'Retry' });
  expect(screen.queryByRole('row', { name: /DR-2/ })).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Previous' })).toBeEnabled();
  failing = false;
  await user.click(retry);
  await screen.findByRole('row', { name: /DR-27/ }, slow);
});

it('says why counting or starting failed, and lets both be tried again', async () => {
  const failure = { body: { ok: false, error: 'Not now.', code: 'UNAVAILABLE' }, status: 503 };
  undoAnswers = [failure, { body: counts, status: 200 }, failure, { body: { ok: true }, status: 200 }];
  const { user } = open(uploadLog(undoable), uploadLog({ status: 'undone', undoReport: report(11, 0, 0) }));
  await user.click(await screen.findByRole('button', { name: 'Undo import' }, slow));
  const dialog = within(await screen.findByRole('alertdialog'));
  expect(await dialog.findByRole('alert')).toHaveTextContent('Not now.');
  await user.click(dialog.getByRole('button', { name: 'Retry' }));
  await user.click(await dialog.findByRole('button', { name: 'Undo import' }));
  expect(await dialog.findByRole('alert')).toHaveTextContent('Not now.');
  await user.click(dialog.getByRole('button', { name: 'Undo import' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
  const keys = actions.slice(2).map(({ key }) => key);
  expect(new Set(keys).size).toBe(1);
});

it('offers no undo to whoever may not', async () => {
  open(uploadLog());
  await screen.findByText('Done. All 10 rows were read.', undefined, slow);
  expect(screen.queryByRole('region', { name: 'Undo this import' })).not.toBeInTheDocument();
});

it('can be stopped, and continued later', async () => {
  const { user } = open(uploadLog({ status: 'undoing', undoReport: report(3, 0, 0) }));
  await user.click(await screen.findByRole('button', { name: 'Stop undoing' }, slow));
  await waitFor(() => expect(asked).toEqual([['cancelUpload', { input: { id: 'u1' } }]]));
});

it('says that an undo ended early', async () => {
  open(
    uploadLog({
      ...undoable,
      status: 'partly_undone',
      undoReport: report(3, 0, 0),
      undoFailureText: 'The undo was canceled.',
    }),
  );
  await screen.findByText('The undo was canceled.', undefined, slow);
  expect(screen.getByRole('button', { name: 'Continue undoing' })).toBeEnabled();
  await expectAccessible();
});

it('shows what a checked file would do, and imports it with one click', async () => {
  const checked = { status: 'validated', rowsCreated: 7, rowsUpdated: 2, rowsSkipped: 1, rowsFailed: 2 };
  const { user } = open(uploadLog(checked), uploadLog());
  await screen.findByText('Nothing has been imported yet', undefined, slow);
  const panel = within(screen.getByRole('region', { name: 'Result of the check' }));
  expect(panel.getByText('Would be created').nextElementSibling).toHaveTextContent('7');
  expect(panel.getByText('Would be updated').nextElementSibling).toHaveTextContent('2');
  const rows = await waitFor(() => {
    const found = screen.getAllByRole('row').map(({ textContent }) => textContent);
    expect(found).toHaveLength(4);
    return found;
  });
  expect(rows).toEqual([
    'Delivery DocFieldNowAfter the import',
    'DR-1Item 2: Quantity59',
    'DR-1TruckerNoneIsla Express',
    'DR-1Dispatch Date and TimeNoneNov 30, 2026 8:30 AM',
  ]);
  await expectAccessible();
  await user.click(screen.getByRole('button', { name: 'Import now' }));
  await screen.findByText('Done. All 10 rows were read.', undefined, slow);
  expect(screen.queryByText('Nothing has been imported yet')).not.toBeInTheDocument();
  expect(asked).toEqual([['commitUpload', { input: { id: 'u1' } }]]);
});

it('has nothing to import when a check found nothing', async () => {
  open(uploadLog({ status: 'validated', rowsCreated: 0, rowsUpdated: 0, rowsFailed: 0, rowsSkipped: 10 }));
  await screen.findByText('No rows in this file would create or update a delivery.', undefined, slow);
  expect(screen.getByRole('button', { name: 'Import now' })).toBeDisabled();
});
