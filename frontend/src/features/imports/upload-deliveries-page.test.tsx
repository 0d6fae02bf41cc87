import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { returnAt, stopClockAt } from '@/test/clock';
import { uploadLog } from '@/test/deliveries';
import { FakeRequest } from '@/test/fake-request';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';

const slow = { timeout: 15_000 };
vi.setConfig({ testTimeout: 20_000 });

const csv = new File(['Delivery Doc\nDR-1\n'], 'dispatch.csv', { type: 'text/csv' });
let logs: unknown[];
let linkAnswer: { body: unknown; status: number };
let actions: string[];
/** Whether the second page of the recent imports fails. */
let sources: object[];
let failing: boolean;

function open(user: Record<string, unknown> = rosa, path = '/upload-deliveries') {
  startFakeServer({
    user,
    operations: {
      ImportSources: ({ page }) => {
        const { limit, offset } = page as { limit: number; offset: number };
        return { data: { sources: sources.slice(offset, offset + limit) } };
      },
      RecentImports: ({ page }) => {
        const { limit, offset } = page as { limit: number; offset: number };
        if (failing && offset > 0) return { errors: [{ message: 'Too busy' }] };
        return {
          data: {
            uploadLogs: logs.slice(offset, offset + limit),
            uploadLogsCount: { __typename: 'Count', total: logs.length, exact: true },
          },
        };
      },
      UploadedDetails: () => ({ data: { uploadLog: uploadLog({ filename: 'dispatch.csv' }) } }),
    },
  });
  const graphql = fetch;
  vi.stubGlobal('fetch', (input: string, init?: RequestInit) => {
    if (input === '/request-upload-link') {
      actions.push(input);
      const { body, status } = linkAnswer;
      return Promise.resolve(new Response(JSON.stringify(body), { status }));
    }
    if (input.startsWith('/upload-deliveries')) {
      actions.push(input);
      return Promise.resolve(new Response('{"ok":true,"uploadLog":"u1"}'));
    }
    return graphql(input, init);
  });
  return renderRoutes(declarations, path);
}

async function ready() {
  await screen.findByText('Drop a file here to upload it', undefined, slow);
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Source' })).toHaveValue('s1'));
}

const picker = () => {
  const input = document.querySelector<HTMLInputElement>('input[type="file"]');
  if (!input) throw new Error('There is no file picker');
  return input;
};
/** Finds the alert inside the page, because the hidden route announcer is also an alert. */
const alert = () =>
  waitFor(() => {
    const found = screen.getAllByRole('alert').find((element) => element.closest('main'));
    if (!found) throw new Error('Nothing went wrong');
    return found;
  });
const request = () => waitFor(() => FakeRequest.last());

beforeEach(() => {
  FakeRequest.all = [];
  failing = false;
  sources = [
    { __typename: 'Source', id: 's2', name: 'Cold chain' },
    { __typename: 'Source', id: 's1', name: 'Default' },
  ];
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
  logs = [
    uploadLog(),
    uploadLog({ id: 'u2', filename: 'cold.csv', status: 'imported_with_errors', rowsFailed: 5 }),
  ];
  linkAnswer = { body: { ok: true, url: '/objects/k1.csv?sig=1' }, status: 200 };
  actions = [];
});

it('offers the file, the source and the recent imports, and is accessible', async () => {
  open();
  await ready();
  const row = await screen.findByRole('row', { name: /cold\.csv/ }, slow);
  expect(row).toHaveTextContent('Imported with errors');
  expect(within(row).getByRole('link', { name: '5 refused rows in cold.csv' })).toHaveAttribute(
    'href',
    '/uploaded-details/u2',
  );
  await expectAccessible();
});

it('offers every source, and preselects Default even if it is beyond the first page', async () => {
  const more = Array.from({ length: 100 }, (_, at) => ({
    __typename: 'Source',
    id: `a${at}`,
    name: `Agent ${at}`,
  }));
  sources = [...more, ...sources];
  open();
  await ready();
  const select = within(screen.getByRole('combobox', { name: 'Source' }));
  expect(select.getAllByRole('option')).toHaveLength(102);
});

it('turns the pages of the recent imports, back to the first ever', async () => {
  logs = Array.from({ length: 30 }, (_, at) => uploadLog({ id: `u${at}`, filename: `file-${at}.csv` }));
  const { user, address } = open();
  await screen.findByRole('row', { name: /file-24\.csv/ }, slow);
  await user.click(screen.getByRole('button', { name: 'Next page' }));
  expect(await screen.findByRole('row', { name: /file-29\.csv/ }, slow)).toBeInTheDocument();
  expect(screen.queryByRole('row', { name: /file-24\.csv/ })).not.toBeInTheDocument();
  expect(address()).toBe('/upload-deliveries?offset=25');
});

it('opens the last page of the recent imports for a link beyond their end', async () => {
  logs = Array.from({ length: 30 }, (_, at) => uploadLog({ id: `u${at}`, filename: `file-${at}.csv` }));
  const { address } = open(rosa, '/upload-deliveries?offset=100');
  expect(await screen.findByRole('row', { name: /file-29\.csv/ }, slow)).toBeInTheDocument();
  expect(address()).toBe('/upload-deliveries?offset=25');
});

it('announces a page of the recent imports once it has loaded', async () => {
  logs = Array.from({ length: 30 }, (_, at) => uploadLog({ id: `u${at}`, filename: `file-${at}.csv` }));
  const { user } = open(rosa, '/upload-deliveries?offset=25');
  await screen.findByRole('row', { name: /file-29\.csv/ }, slow);
  await user.click(screen.getByRole('button', { name: 'Previous page' }));
  await screen.findByRole('row', { name: /file-24\.csv/ }, slow);
  const range = screen.getByText(/^\d+–\d+ of/);
  expect(range.parentElement?.querySelector('[aria-live]')).toHaveTextContent('Page 1 of 2: rows 1 to 25');
});

it('says that the next page of the recent imports failed, instead of showing the rows of the page before', async () => {
  logs = Array.from({ length: 30 }, (_, at) => uploadLog({ id: `u${at}`, filename: `file-${at}.csv` }));
  failing = true;
  const { user } = open();
  await screen.findByRole('row', { name: /file-24\.csv/ }, slow);
  await user.click(screen.getByRole('button', { name: 'Next page' }));
  const retry = within(await alert()).getByRole('button', { name: 'Retry' });
  const first = () => screen.queryByRole('row', { name: /file-24\.csv/ });
  expect(first()).not.toBeInTheDocument();
  failing = false;
  await user.click(retry);
  expect(first()).not.toBeInTheDocument();
  expect(await screen.findByRole('row', { name: /file-29\.csv/ }, slow)).toBeInTheDocument();
});

it('uploads with progress, starts the import and goes to its details', async () => {
  const { user, address } = open();
  await ready();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Source' }), 'Cold chain');
  await user.click(screen.getByRole('checkbox', { name: 'Choose the columns myself' }));
  await user.upload(picker(), csv);
  const put = await request();
  expect([put.method, put.url, put.body]).toEqual(['PUT', '/objects/k1.csv?sig=1', csv]);
  act(() => put.progress(9, 18));
  expect(screen.getByRole('progressbar', { name: 'Upload of dispatch.csv' })).toHaveAttribute(
    'aria-valuenow',
    '50',
  );
  await expectAccessible();
  act(() => put.answer(200));
  await waitFor(() => expect(address()).toBe('/uploaded-details/u1'), slow);
  expect(actions.at(-1)).toBe(
    '/upload-deliveries?url=%2Fobjects%2Fk1.csv&filename=dispatch.csv&sourceId=s2&chooseColumns=true',
  );
});

it('takes status 200 only and keeps the page ready for another try', async () => {
  const { user } = open();
  await ready();
  await user.upload(picker(), csv);
  const put = await request();
  act(() => put.answer(204));
  expect(await alert()).toHaveTextContent(
    'Upload failed. Something went wrong',
  );
  expect(screen.getByRole('button', { name: 'Choose file' })).toBeEnabled();
  expect(actions).toEqual(['/request-upload-link']);
});

/** Records each start of an import. `fails` returns the response for a start that should fail. */
function watchStarts(fails: (count: number) => Promise<Response> | undefined) {
  const answer = fetch;
  const starts: { path: string; key: string | null }[] = [];
  vi.stubGlobal('fetch', (input: string, init?: RequestInit) => {
    if (!input.startsWith('/upload-deliveries')) return answer(input, init);
    starts.push({ path: input, key: new Headers(init?.headers).get('idempotency-key') });
    return fails(starts.length) ?? answer(input, init);
  });
  return starts;
}

/** A file that is chosen again is another object with the same content. */
const again = (text = 'DR-1') => new File([`Delivery Doc\n${text}\n`], 'dispatch.csv', { type: 'text/csv' });

it('starts one import when the first answer was lost and the file is chosen again', async () => {
  const { user, address } = open();
  const starts = watchStarts((count) => (count === 1 ? Promise.reject(new TypeError('lost')) : undefined));
  await ready();
  await user.upload(picker(), csv);
  const put = await request();
  act(() => put.answer(200));
  const failure = await alert();
  expect(failure).toHaveTextContent('An error has occurred');
  expect(failure).toHaveTextContent("It isn't known whether the import of dispatch.csv has started.");
  await user.upload(picker(), again());
  await waitFor(() => expect(address()).toBe('/uploaded-details/u1'), slow);
  expect(FakeRequest.all).toHaveLength(1);
  expect(starts).toHaveLength(2);
  expect(starts[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
  expect(starts[1]).toEqual(starts[0]);
});

it.each([
  ['another file follows', () => Promise.reject(new TypeError('lost')), again('DR-2')],
  [
    'the server refused the first',
    () => Promise.resolve(new Response('{"ok":false,"error":"Source is disabled"}', { status: 422 })),
    again(),
  ],
])('uploads anew when %s', async (_, fail, second) => {
  const { user, address } = open();
  const starts = watchStarts((count) => (count === 1 ? fail() : undefined));
  await ready();
  await user.upload(picker(), csv);
  const put = await request();
  act(() => put.answer(200));
  await alert();
  await user.upload(picker(), second);
  await waitFor(() => expect(FakeRequest.all).toHaveLength(2));
  act(() => FakeRequest.last().answer(200));
  await waitFor(() => expect(address()).toBe('/uploaded-details/u1'), slow);
  expect(starts[1]?.key).not.toBe(starts[0]?.key);
});

it('says that the link could not be had', async () => {
  const text = 'You have 20 unfinished uploads. Finish those, or try again in 140 minutes.';
  linkAnswer = { body: { ok: false, error: text, code: 'RATE_LIMITED' }, status: 429 };
  const { user } = open();
  await ready();
  await user.upload(picker(), csv);
  const failure = await alert();
  expect(failure).toHaveTextContent('upload url request failed');
  expect(failure).toHaveTextContent(text);
  expect(failure).toHaveTextContent("dispatch.csv wasn't imported. Choose it again to retry.");
});

it('takes cells that are pasted, and leaves alone what is pasted into a field', async () => {
  open();
  await ready();
  const clipboardData = { getData: () => 'Delivery Doc\tSKU\nDR-1\tA-1\n' };
  fireEvent.paste(screen.getByRole('combobox', { name: 'Source' }), { clipboardData: { getData: () => 'one line' } });
  expect(actions).toEqual([]);
  fireEvent.paste(document.body, { clipboardData });
  const put = await request();
  const file = put.body as File;
  expect([file.name, await file.text()]).toEqual(['pasted-cells.tsv', 'Delivery Doc\tSKU\nDR-1\tA-1\n']);
});

it('can be canceled', async () => {
  const { user } = open();
  await ready();
  await user.upload(picker(), csv);
  const put = await request();
  const aborted = vi.spyOn(put, 'abort');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(aborted).toHaveBeenCalledOnce();
  expect(screen.getByText('Drop a file here to upload it')).toBeInTheDocument();
  expect(within(screen.getByRole('main')).queryByRole('alert')).not.toBeInTheDocument();
});

it('refuses other files before it uploads anything', async () => {
  open();
  await ready();
  // The `accept` filter of a file picker does not apply to a dropped file.
  const user = userEvent.setup({ applyAccept: false });
  await user.upload(picker(), new File(['x'], 'scan.pdf'));
  expect(await alert()).toHaveTextContent(
    "Invalid filescan.pdf isn't a CSV, TSV, XLSX, XLS or ODS file.",
  );
  await expectAccessible();
  expect(actions).toEqual([]);
});

it('is not for those who only read', async () => {
  const { address } = open({ ...rosa, roles: ['viewer'] });
  await waitFor(() => expect(address()).toMatch(/^\/forbidden/), slow);
});

it('says before a file is chosen that imports are paused, and how large a file may be', async () => {
  open({ ...rosa, settings: { importPausedUntil: '2126-01-31T06:00', maxImportBytes: 3 * 1024 * 1024 } });
  await ready();
  expect(screen.getByText('Imports are paused')).toBeInTheDocument();
  expect(screen.getByText(/^Imports can't start until Jan 31, 2126 6:00 AM\./)).toBeInTheDocument();
  expect(screen.getByText(/^CSV, TSV, XLSX, XLS or ODS, up to 3 MB\./)).toBeInTheDocument();
});

it('says that imports are paused until the pause has ended', async () => {
  stopClockAt('2026-11-20T05:59:30Z');
  open({ ...rosa, settings: { importPausedUntil: '2026-11-20T14:00' } });
  await ready();
  expect(screen.getByText(/^Imports can't start until Nov 20, 2026 2:00 PM\./)).toBeInTheDocument();
  returnAt('2026-11-20T06:00:30Z');
  expect(screen.queryByText('Imports are paused')).not.toBeInTheDocument();
});
