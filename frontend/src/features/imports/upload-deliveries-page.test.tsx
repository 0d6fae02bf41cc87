import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
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

function open(user: Record<string, unknown> = rosa) {
  startFakeServer({
    user,
    operations: {
      ImportSources: () => ({
        data: {
          sources: [
            { __typename: 'Source', id: 's2', name: 'Cold chain' },
            { __typename: 'Source', id: 's1', name: 'Default' },
          ],
        },
      }),
      RecentImports: () => ({
        data: {
          uploadLogs: logs,
          uploadLogsCount: { __typename: 'Count', total: logs.length, exact: true },
        },
      }),
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
  return renderRoutes(declarations, '/upload-deliveries');
}

async function ready() {
  await screen.findByText('Drop the file to upload it', undefined, slow);
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Source' })).toHaveValue('s1'));
}

const picker = () => {
  const input = document.querySelector<HTMLInputElement>('input[type="file"]');
  if (!input) throw new Error('There is no file picker');
  return input;
};
/** The announcer of the routes is an alert as well, though out of sight. */
const alert = () =>
  waitFor(() => {
    const found = screen.getAllByRole('alert').find((element) => element.closest('main'));
    if (!found) throw new Error('Nothing went wrong');
    return found;
  });
const request = () => waitFor(() => FakeRequest.last());

beforeEach(() => {
  FakeRequest.all = [];
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
  expect(within(row).getByRole('link', { name: '5 refused rows of cold.csv' })).toHaveAttribute(
    'href',
    '/uploaded-details/u2',
  );
  await expectAccessible();
});

it('uploads with progress, starts the import and goes to its details', async () => {
  const { user, address } = open();
  await ready();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Source' }), 'Cold chain');
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
    '/upload-deliveries?url=%2Fobjects%2Fk1.csv&filename=dispatch.csv&sourceId=s2',
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

it('says that the link could not be had', async () => {
  linkAnswer = { body: { ok: false, error: 'Nope', code: 'FORBIDDEN' }, status: 403 };
  const { user } = open();
  await ready();
  await user.upload(picker(), csv);
  expect(await alert()).toHaveTextContent(
    'upload url request failed',
  );
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

it('can be cancelled', async () => {
  const { user } = open();
  await ready();
  await user.upload(picker(), csv);
  const put = await request();
  const aborted = vi.spyOn(put, 'abort');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(aborted).toHaveBeenCalledOnce();
  expect(screen.getByText('Drop the file to upload it')).toBeInTheDocument();
  expect(within(screen.getByRole('main')).queryByRole('alert')).not.toBeInTheDocument();
});

it('refuses other files before it uploads anything', async () => {
  open();
  await ready();
  // As a dropped file, which no picker has sifted.
  const user = userEvent.setup({ applyAccept: false });
  await user.upload(picker(), new File(['x'], 'scan.pdf'));
  expect(await alert()).toHaveTextContent(
    'Invalid filescan.pdf is none of CSV, TSV, XLSX and ODS.',
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
  expect(screen.getByText(/^No import can start until Jan 31, 2126 6:00 AM\./)).toBeInTheDocument();
  expect(screen.getByText(/^CSV, TSV, XLSX or ODS, up to 3 MB\./)).toBeInTheDocument();
});
