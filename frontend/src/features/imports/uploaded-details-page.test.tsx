import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { decodeFilters } from '@/list/filters-codec';
import { expectAccessible } from '@/test/axe';
import { uploadLog } from '@/test/deliveries';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { FakeSocket } from '@/test/fake-socket';
import { renderRoutes } from '@/test/render';
import { templateCsv } from './template';
import { POLL_MS } from './use-upload-log';

const slow = { timeout: 15_000 };
vi.setConfig({ testTimeout: 20_000 });

let server: FakeServer;
let answers: (Record<string, unknown> | null)[];
/** A response in place of the log. */
let failure: Answer | undefined;
/** Only the first page of refused rows can be read. */
let refusedTotal: number;
/** Number of the import's deliveries that still exist. */
let deliveriesLeft: number;

const refused = (rowNumber: number) => ({
  __typename: 'UploadRow',
  uploadLogId: 'u1',
  rowNumber,
  sheetRow: rowNumber,
  sheet: null,
  deliveryId: rowNumber === 3 ? null : `DR-${rowNumber}`,
  messages: [
    {
      __typename: 'UploadRowMessage',
      column: 'Trucker',
      code: 'REQUIRED',
      text: 'Trucker is required',
    },
  ],
});

const refusedCells = (rowNumber: number) => ({
  __typename: 'UploadRow',
  uploadLogId: 'u1',
  rowNumber,
  sheetRow: rowNumber,
  sheet: null,
  deliveryId: `DR-${rowNumber}`,
  cells: [`DR-${rowNumber}`, '', '5'],
  corrections: [],
  messages: [
    { __typename: 'UploadRowMessage', column: 'Trucker', text: 'Trucker is missing.' },
    { __typename: 'UploadRowMessage', column: null, text: 'Something else.' },
  ],
});

afterEach(() => {
  vi.useRealTimers();
});

beforeEach(() => {
  failure = undefined;
  refusedTotal = 2;
  deliveriesLeft = 4;
  server = startFakeServer({
    user: rosa,
    operations: {
      UploadedDetails: () =>
        failure ?? { data: { uploadLog: answers.length > 1 ? answers.shift() : answers[0] } },
      ImportedDeliveries: () => ({ data: { deliveriesCount: { __typename: 'Count', total: deliveriesLeft, exact: true } } }),
      CommitUpload: () => ({ data: { commitUpload: { __typename: 'UploadLog', id: 'u1', status: 'uploaded' } } }),
      UploadWarnings: () => ({
        data: {
          uploadWarnings: [
            {
              __typename: 'UploadWarning',
              number: 0,
              line: null,
              sheet: null,
              column: 'Plate No.',
              code: 'HEADING_NOT_USED',
              text: 'No field has this heading.',
            },
            {
              __typename: 'UploadWarning',
              number: 1,
              line: 7,
              sheet: 'Orders',
              column: null,
              code: 'TIME_MISSING',
              text: 'The start of the day was entered.',
            },
          ],
        },
      }),
      RefusedCells: () => ({
        data: {
          uploadRows: [refusedCells(2), refusedCells(3)],
          uploadRowsCount: { __typename: 'Count', total: 2, exact: true },
          uploadLog: answers[0],
        },
      }),
      RefusedRows: ({ page }) => {
        if (refusedTotal > 2 && (page as { offset: number }).offset > 0) {
          return { errors: [{ message: 'Too busy' }] };
        }
        return {
          data: {
            uploadRows: (page as { offset: number }).offset > 0 ? [] : [refused(2), refused(3)],
            uploadRowsCount: { __typename: 'Count', total: refusedTotal, exact: true },
          },
        };
      },
    },
  });
});

function open(...log: (Record<string, unknown> | null)[]) {
  answers = log;
  return renderRoutes(declarations, '/uploaded-details/u1');
}

const count = (label: string) => {
  const panel = screen.getByRole('region', { name: 'Result' });
  return within(panel).getByText(label).nextElementSibling?.textContent;
};

it('goes from progress to the result by itself', async () => {
  FakeSocket.install();
  const running = { finishedAt: null, rowsTotal: 4, rowsCreated: 4, bytesRead: 400 };
  // Answered by state, because a slow first connection reads once more.
  open(uploadLog({ ...running, status: 'parsing', bytesRead: 250 }));
  await screen.findByText('Reading the file', undefined, slow);
  expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '25');
  await expectAccessible();
  const watched = () => FakeSocket.last().open('uploadLogChanged').length;
  await waitFor(() => expect(watched()).toBe(1));
  const progressed = (status: string, log: Record<string, unknown>) =>
    act(() => {
      answers = [log];
      const uploadLogChanged = { __typename: 'UploadLog', id: 'u1', status, bytesRead: 400, rowsTotal: 4 };
      FakeSocket.last().push({ uploadLogChanged });
    });
  progressed('importing', uploadLog({ ...running, status: 'importing' }));
  await screen.findByText('Importing rows', undefined, slow);
  expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '40');
  // One region for the whole time, because a new region is not announced.
  const said = screen.getAllByRole('status')[0];
  expect(said).toBeEmptyDOMElement();
  progressed('imported', uploadLog());
  await screen.findByText('Done. All 10 rows were read.', undefined, slow);
  await waitFor(() => expect(watched()).toBe(0));
  expect(said).toBeInTheDocument();
  expect(said).toHaveTextContent(/^Imported\. Done\. All 10 rows were read\./);
});

it.each([
  ['a check', 'checking', { status: 'validated', rowsFailed: 2 }, 'Checked. All 10 rows were checked. Rows refused: 2.'],
  [
    'an undo',
    'undoing',
    { status: 'partly_undone', undoReport: { __typename: 'UndoReport', reversed: 3, kept: 1, errored: 0, total: 4 } },
    "Partly undone. Undone: 3. Kept: 1. Couldn't be undone: 0.",
  ],
  [
    'an undo that was canceled',
    'undoing',
    {
      status: 'partly_undone',
      undoFailureText: 'The undo was canceled.',
      undoReport: { __typename: 'UndoReport', reversed: 3, kept: 0, errored: 0, total: 9 },
    },
    "Partly undone. The undo was canceled. Undone: 3. Kept: 0. Couldn't be undone: 0.",
  ],
])('announces the end of %s, but not a result that was there before', async (_, status, ended, text) => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  FakeSocket.install();
  const { unmount } = open(uploadLog({ status, finishedAt: null }));
  await screen.findByRole('heading', { level: 2, name: 'dispatch-1121.csv' }, slow);
  const [said] = screen.getAllByRole('status');
  expect(said).toBeEmptyDOMElement();
  answers = [uploadLog(ended)];
  act(() => void vi.advanceTimersByTime(POLL_MS));
  await waitFor(() => expect(said).toHaveTextContent(text));
  unmount();
  open(uploadLog(ended));
  await screen.findByRole('heading', { level: 2, name: 'dispatch-1121.csv' }, slow);
  expect(screen.getAllByRole('status')[0]).toBeEmptyDOMElement();
});

it('announces an import that has ended before the page reads that it runs', async () => {
  FakeSocket.install();
  const { user } = open(uploadLog({ status: 'validated', rowsTotal: 0, rowsCreated: 7 }), uploadLog());
  const start = await screen.findByRole('button', { name: 'Import now' }, slow);
  const [said] = screen.getAllByRole('status');
  expect(said).toBeEmptyDOMElement();
  await user.click(start);
  await waitFor(() => expect(said).toHaveTextContent('Imported. Done. All 10 rows were read.'));
});

it('announces a failed correction only as an alert', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  FakeSocket.install();
  open(uploadLog({ status: 'correcting', finishedAt: null, rowsFailed: 2 }));
  await screen.findByRole('heading', { level: 2, name: 'dispatch-1121.csv' }, slow);
  const [said] = screen.getAllByRole('status');
  answers = [uploadLog({ status: 'imported_with_errors', rowsFailed: 2, failureText: 'The correction was canceled.' })];
  act(() => void vi.advanceTimersByTime(POLL_MS));
  const text = await screen.findByText('The correction was canceled.', undefined, slow);
  expect(text.closest('[role="alert"]')).toBeInTheDocument();
  expect(said).toBeEmptyDOMElement();
});

it('keeps the focus in the page when an import starts', async () => {
  FakeSocket.install();
  const { user } = open(uploadLog({ status: 'validated', rowsTotal: 0, rowsCreated: 7 }), uploadLog({ status: 'importing' }));
  const start = await screen.findByRole('button', { name: 'Import now' }, slow);
  act(() => start.focus());
  await user.keyboard('{Enter}');
  await waitFor(() => expect(start).not.toBeInTheDocument());
  await waitFor(() => expect(screen.getByRole('heading', { level: 2, name: 'dispatch-1121.csv' })).toHaveFocus());
});

it('keeps the progress of an import when a refresh fails, and refreshes again', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  FakeSocket.install();
  const watched = () => FakeSocket.last().open('uploadLogChanged').length;
  const requests = () => server.calls.filter(({ name }) => name === 'UploadedDetails').length;
  open(uploadLog({ status: 'importing', finishedAt: null, rowsTotal: 4, rowsCreated: 4, bytesRead: 400 }));
  await screen.findByText('Importing rows', undefined, slow);
  await waitFor(() => expect(watched()).toBe(1));
  // With an error, null does not mean that there is no such import.
  const error = { message: 'The service is restarting.', extensions: { code: 'UNAVAILABLE' } };
  failure = { data: { uploadLog: null }, errors: [error] };
  act(() => void vi.advanceTimersByTime(POLL_MS));
  await screen.findByText("Couldn't refresh. Trying again in a few seconds.", undefined, slow);
  expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '40');
  expect(watched()).toBe(1);
  const failed = requests();
  failure = undefined;
  act(() => void vi.advanceTimersByTime(POLL_MS));
  await waitFor(() => expect(requests()).toBeGreaterThan(failed));
  await waitFor(() => expect(screen.queryByText(/^Couldn't refresh/)).not.toBeInTheDocument());
  expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '40');
});

it('shows the counts, the deliveries of the import and the refused rows', async () => {
  deliveriesLeft = 3;
  open(
    uploadLog({
      status: 'partly_undone',
      rowsTotal: 1482,
      rowsCreated: 1461,
      rowsUpdated: 1,
      rowsSkipped: 6,
      rowsFailed: 14,
      deliveriesCreated: 604,
    }),
  );
  await screen.findByRole('row', { name: /DR-2/ }, slow);
  expect(['read', 'created', 'updated', 'skipped', 'refused'].map((what) => count(`Rows ${what}`))).toEqual([
    '1,482',
    '1,461',
    '1',
    '6',
    '14',
  ]);
  const link = await screen.findByRole('link', { name: 'Show deliveries from this import (3)' });
  const search = new URL(link.getAttribute('href') ?? '', 'http://x').searchParams;
  expect(decodeFilters(search.get('filters')).filters).toEqual([
    {
      key: 'uploadLogId',
      operator: 'equals',
      values: [{ label: 'dispatch-1121.csv', value: 'u1' }],
    },
  ]);
  const rows = screen.getAllByRole('row').map(({ textContent }) => textContent);
  expect(rows).toEqual([
    'RowColumnCodeMessageDelivery Doc',
    '2TruckerREQUIREDTrucker is requiredDR-2',
    '3TruckerREQUIREDTrucker is requiredNone',
  ]);
  await expectAccessible();
});

it('leads to all deliveries of an import that was not undone, without counting them again', async () => {
  open(uploadLog({ deliveriesCreated: 12_000 }));
  await screen.findByRole('link', { name: 'Show deliveries from this import (12,000)' }, slow);
  expect(server.calls.filter(({ name }) => name === 'ImportedDeliveries')).toEqual([]);
});

it('leads to no deliveries if none are left of the import', async () => {
  deliveriesLeft = 0;
  open(uploadLog({ status: 'partly_undone' }));
  await screen.findByRole('heading', { level: 2, name: 'dispatch-1121.csv' }, slow);
  await waitFor(() => expect(screen.queryByRole('link', { name: /Show deliveries/ })).not.toBeInTheDocument());
});

it('lists the refused rows as cards on a narrow screen', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) =>
      ({
        matches: query.includes('767'),
        addEventListener: () => undefined,
        removeEventListener: () => undefined,
      }) as unknown as MediaQueryList,
  );
  open(uploadLog({ status: 'imported_with_errors', rowsFailed: 2 }));
  const list = await screen.findByRole('list', { name: /^Rows not imported/ }, slow);
  expect(within(list).getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Row 2DR-2Trucker: Trucker is required',
    'Row 3Trucker: Trucker is required',
  ]);
  expect(screen.queryByRole('table')).not.toBeInTheDocument();
});

it('says that the next page of refused rows failed, instead of showing the rows of the page before', async () => {
  refusedTotal = 60;
  const { user } = open(uploadLog({ status: 'partly_undone', rowsFailed: 60 }));
  await screen.findByRole('row', { name: /DR-2/ }, slow);
  await user.click(screen.getByRole('button', { name: 'Next page' }));
  await screen.findByRole('button', { name: 'Retry' });
  expect(screen.queryByRole('row', { name: /DR-2/ })).not.toBeInTheDocument();
});

it('opens the last page of refused rows for a link beyond their end', async () => {
  answers = [uploadLog({ status: 'partly_undone', rowsFailed: 2 })];
  const { address } = renderRoutes(declarations, '/uploaded-details/u1?offset=100');
  await screen.findByRole('row', { name: /DR-2/ }, slow);
  expect(address()).toBe('/uploaded-details/u1');
});

it('saves the refused rows as a file', async () => {
  const create = vi.fn<(blob: Blob) => string>(() => 'blob:x');
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: create, revokeObjectURL: vi.fn<() => void>() }));
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  const { user } = open(uploadLog({ status: 'partly_undone', rowsFailed: 2 }));
  await user.click(await screen.findByRole('button', { name: 'Download refused rows' }, slow));
  await waitFor(() => expect(create).toHaveBeenCalledOnce());
  const saved = create.mock.calls[0]?.[0];
  expect(saved?.type).toContain('text/csv');
  expect(await saved?.text()).toBe(
    'Delivery Doc,Trucker,Quantity,Refused row,Refused because\r\n' +
      'DR-2,,5,2,Trucker: Trucker is missing. Something else.\r\n' +
      'DR-3,,5,3,Trucker: Trucker is missing. Something else.\r\n',
  );
});

it('lists what to check although it was imported, and how its columns were read', async () => {
  open(
    uploadLog({
      warnings: 2,
      columns: [{ __typename: 'UploadColumn', heading: 'Delivery Date', reading: 'day_first' }],
    }),
  );
  const table = within(await screen.findByRole('region', { name: 'Warnings to check' }, slow));
  const rows = table.getAllByRole('row').map(({ textContent }) => textContent);
  expect(rows).toEqual([
    'RowColumnMessage',
    'NonePlate No.No field has this heading.',
    '7OrdersNoneThe start of the day was entered.',
  ]);
  expect(screen.getByText('2 warnings')).toBeInTheDocument();
  expect(screen.getByText('Delivery Date').nextElementSibling).toHaveTextContent('Day first');
  await expectAccessible();
});

it('says how many warnings there are when it shows the first ones only', async () => {
  open(uploadLog({ warnings: 1234 }));
  await screen.findByText('The first 100 of 1,234 warnings', undefined, slow);
});

it('has no list of warnings when there are none', async () => {
  open(uploadLog());
  await screen.findByText('Done. All 10 rows were read.', undefined, slow);
  expect(screen.queryByRole('region', { name: 'Warnings to check' })).not.toBeInTheDocument();
});

it('says why an import failed and what to do', async () => {
  open(
    uploadLog({
      status: 'failed',
      rowsTotal: 0,
      rowsCreated: 0,
      deliveriesCreated: 0,
      failureCode: 'IMPORT_HEADER_MISSING',
      failureText: 'The file has no column named Delivery Doc.',
    }),
  );
  const text = await screen.findByText('The file has no column named Delivery Doc.', {}, slow);
  expect(text.closest('[role="alert"]')).toHaveTextContent('Fix the file, then import it again.');
  expect(screen.getByRole('link', { name: 'Import another file' })).toHaveAttribute(
    'href',
    '/upload-deliveries',
  );
  expect(screen.queryByRole('link', { name: /Show deliveries/ })).not.toBeInTheDocument();
  await expectAccessible();
});

it('counts no deliveries for a check, which creates none', async () => {
  open(uploadLog({ status: 'checking' }));
  const facts = within(await screen.findByRole('region', { name: 'Details' }, slow));
  expect(facts.getByText('Source')).toBeInTheDocument();
  expect(facts.queryByText('Deliveries created')).not.toBeInTheDocument();
});

it('says that imports are paused on the page of a checked file, to users who may import it', async () => {
  const settings = { importPausedUntil: '2126-01-31T06:00' };
  const log = uploadLog({ status: 'validated', rowsTotal: 0, rowsCreated: 7, rowsUpdated: 0, rowsFailed: 0, rowsSkipped: 0 });
  server.signIn({ ...rosa, settings });
  const { unmount } = open(log);
  await screen.findByRole('button', { name: 'Import now' }, slow);
  expect(screen.getByText(/^Imports can't start until Jan 31, 2126 6:00 AM\./)).toBeInTheDocument();
  unmount();
  server.signIn({ ...rosa, roles: ['viewer'], settings });
  open(log);
  await screen.findByText('Nothing has been imported yet', undefined, slow);
  expect(screen.queryByText('Imports are paused')).not.toBeInTheDocument();
});

it('says of a canceled check that nothing was imported, and asks for nothing', async () => {
  const failureText = 'The check was canceled. Nothing was imported.';
  open(uploadLog({ status: 'failed', failureCode: 'IMPORT_CANCELLED', failureText, rowsTotal: 2, rowsCreated: 0, rowsUpdated: 0 }));
  await screen.findByText(failureText, {}, slow);
  expect(screen.queryByText(/^Stopped after/)).not.toBeInTheDocument();
  expect(screen.queryByText(/^Fix the file/)).not.toBeInTheDocument();
});

it('says so when there is no such import', async () => {
  open(null);
  await screen.findByRole('heading', { name: 'Import not found' }, slow);
});

it('offers a template with the headings of an import', () => {
  expect(templateCsv()).toBe(
    '\uFEFFDelivery Doc,Reference Doc,Shipment no.,Customer Name,Customer Address,Trucker,Driver ID,Dispatch Date and Time,Item Number,SKU,Description,Quantity,Unit,Instructions\r\n',
  );
});
