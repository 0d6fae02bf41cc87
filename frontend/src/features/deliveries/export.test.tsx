import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { EXPORT_LIMIT_MS, EXPORT_LONGEST_MS } from '@/data/web-actions';
import { decodeFilters, encodeFilters, type Filter } from '@/list/filters-codec';
import { expectAccessible } from '@/test/axe';
import { deliveryRow, lookedAtAll } from '@/test/deliveries';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';

vi.setConfig({ testTimeout: 20_000 });

const routes = [
  { name: 'deliveries', path: '/deliveries', page: () => import('./deliveries-page') },
];
let server: FakeServer;
let answer: (signal: AbortSignal | null | undefined) => Response | Promise<Response>;
let headers: Headers;
/** Number of deliveries in the list. */
let total: number;

beforeEach(() => {
  lookedAtAll();
  answer = () => new Response('Delivery Doc\r\nDR-1000\r\n');
  total = 1284;
  server = startFakeServer({
    user: rosa,
    operations: {
      DeliveriesPage: () => ({
        data: {
          deliveries: [deliveryRow(1000), deliveryRow(1001)],
          deliveriesCount: { __typename: 'Count', total, exact: true },
        },
      }),
    },
    paths: {
      '/export/deliveries': (_, init) => {
        headers = new Headers(init.headers);
        return answer(init.signal);
      },
    },
  });
});

async function open(address = '/deliveries') {
  const view = renderRoutes(routes, address);
  await screen.findByText('DR-1000', undefined, { timeout: 15_000 });
  return view;
}

async function choose(user: Awaited<ReturnType<typeof open>>['user'], what: string) {
  await user.click(screen.getByLabelText('Export'));
  await user.click(await screen.findByText(what));
}

/** Captures the files that the browser would save. */
function watchDownloads() {
  const saved: { name: string; blob: Blob | undefined }[] = [];
  let blob: Blob | undefined;
  URL.createObjectURL = (object) => {
    blob = object as Blob;
    return 'blob:1';
  };
  URL.revokeObjectURL = () => undefined;
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push({ name: this.download, blob });
  });
  return saved;
}

/** A writable file, as the save dialog of the browser returns. */
function fakeFile(name?: string) {
  const file = { text: '', state: 'open' };
  const createWritable = () =>
    Promise.resolve({
      write: (chunk: Uint8Array) => {
        file.text += new TextDecoder().decode(chunk);
        return Promise.resolve();
      },
      close: () => Promise.resolve(void (file.state = 'closed')),
      abort: () => Promise.resolve(void (file.state = 'thrown away')),
    });
  const pick = vi.fn<(options: { suggestedName: string }) => Promise<unknown>>(() =>
    Promise.resolve({ name, createWritable }),
  );
  vi.stubGlobal('showSaveFilePicker', pick);
  return { file, pick };
}

/** Answers with the beginning of a file, of which the rest never comes. */
function answerWithoutEnd() {
  answer = (signal) =>
    new Response(
      new ReadableStream({
        start(control) {
          control.enqueue(new Uint8Array(2048));
          signal?.addEventListener('abort', () => control.error(signal.reason));
        },
      }),
    );
}

const exported = () => server.calls.find(({ name }) => name === '/export/deliveries')?.variables;

describe('an export', () => {
  it('is of what the list shows, in its order, with the token in a header', async () => {
    const saved = watchDownloads();
    const filters: Filter[] = [
      { key: 'trucker', operator: '!equals', values: [{ label: 'T', value: 'Tres Hermanos' }] },
      {
        key: 'dateRange',
        operator: 'inDateRange',
        values: ['2026-11-14', '2026-11-20'].map((value) => ({ label: value, value })),
      },
    ];
    const query = new URLSearchParams({ filters: encodeFilters(filters), sort: 'id' });
    const { user } = await open(`/deliveries?${query}`);
    await choose(user, 'CSV');
    await screen.findByText(/^Exported to deliveries-\d{4}-\d{2}-\d{2}\.csv \(23 B\)\.$/);
    expect(exported()).toMatchObject({ format: 'csv', sort: 'id' });
    const sent = decodeFilters(String(exported()?.filters)).filters;
    expect(sent.map(({ key, operator, values }) => [key, operator, values.map((one) => one.value)]))
      .toEqual([
        ['trucker', '!equals', ['Tres Hermanos']],
        ['scheduledatetime', 'inDateRange', ['2026-11-13T16:00:00.000Z', '2026-11-20T16:00:00.000Z']],
      ]);
    expect(headers.get('authorization')).toBe('Bearer token');
    expect(JSON.stringify(exported())).not.toContain('token');
    expect(saved[0]?.name).toMatch(/^deliveries-.*\.csv$/);
    expect(await saved[0]?.blob?.text()).toBe('Delivery Doc\r\nDR-1000\r\n');
    await user.click(screen.getByLabelText('Close'));
    expect(screen.queryByText(/^Exported to/)).not.toBeInTheDocument();
  });

  it('is of the selected rows where some are, and says of how many', async () => {
    watchDownloads();
    answer = (signal) =>
      new Response(
        new ReadableStream({
          start(control) {
            signal?.addEventListener('abort', () => control.error(signal.reason));
          },
        }),
      );
    const { user } = await open('/deliveries?sort=id');
    await user.click(screen.getByRole('checkbox', { name: 'Select DR-1001' }));
    await user.click(screen.getByLabelText('Export'));
    await expectAccessible();
    const group = within(await screen.findByRole('group', { name: '1 selected delivery' }));
    await user.click(group.getByRole('menuitem', { name: 'CSV' }));
    await screen.findByText('Exporting 1 delivery');
    expect(exported()).toMatchObject({ format: 'csv', sort: 'id' });
    expect(decodeFilters(String(exported()?.filters)).filters).toEqual([
      { key: 'id', operator: 'equals', values: [{ label: '', value: 'DR-1001' }] },
    ]);
    await user.click(screen.getByText('Cancel'));
  });

  it('is not offered where its address would be too long for a proxy', async () => {
    const values = Array.from({ length: 200 }, (_, index) => ({ label: '', value: `DR-${104_000 + index}` }));
    const filters = encodeFilters([{ key: 'id', operator: 'contains', values }]);
    const { user } = await open(`/deliveries?${new URLSearchParams({ filters })}`);
    await user.click(screen.getByLabelText('Export'));
    const group = within(await screen.findByRole('group', { name: /^All matching deliveries/ }));
    expect(group.getByText('The filters have too many values for one file. Remove some of them.')).toBeInTheDocument();
    for (const item of group.getAllByRole('menuitem')) expect(item).toHaveAttribute('aria-disabled', 'true');
    await expectAccessible();
  });

  it('goes straight into the chosen file where the browser can do that', async () => {
    const saved = watchDownloads();
    const { file, pick } = fakeFile('mine.xlsx');
    const { user } = await open();
    await choose(user, 'Excel (XLSX)');
    await screen.findByText(/^Exported to mine\.xlsx/);
    expect(pick.mock.lastCall?.[0].suggestedName).toMatch(/\.xlsx$/);
    expect(exported()).toMatchObject({ format: 'xlsx', sort: '-scheduledatetime' });
    expect(file).toEqual({ text: 'Delivery Doc\r\nDR-1000\r\n', state: 'closed' });
    expect(saved).toEqual([]);
  });

  it('is not begun when no file is chosen', async () => {
    const { pick } = fakeFile();
    pick.mockRejectedValue(new DOMException('No', 'AbortError'));
    const { user } = await open();
    await choose(user, 'CSV');
    await waitFor(() => expect(pick).toHaveBeenCalled());
    expect(exported()).toBeUndefined();
  });

  it('shows how far it is and can be canceled, upon which nothing is kept', async () => {
    const { file } = fakeFile();
    answerWithoutEnd();
    const { user } = await open();
    await choose(user, 'CSV');
    expect(await screen.findByText('Exporting 1,284 deliveries')).toBeInTheDocument();
    expect(await screen.findByText('2 KB so far')).toBeInTheDocument();
    await expectAccessible();
    await user.click(screen.getByText('Cancel'));
    await waitFor(() => expect(screen.queryByText(/^Exporting/)).not.toBeInTheDocument());
    await waitFor(() => expect(file.state).toBe('thrown away'));
  });

  it('says that it was canceled when its page is left, and warns before the tab is closed', async () => {
    const { file } = fakeFile();
    answerWithoutEnd();
    const { user, router } = await open();
    await choose(user, 'CSV');
    await screen.findByText('2 KB so far');
    const closing = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(closing);
    expect(closing.defaultPrevented).toBe(true);
    await act(() => router.navigate('/somewhere'));
    expect(await screen.findByText(/^The export was canceled because you left the page/)).toBeInTheDocument();
    await waitFor(() => expect(file.state).toBe('thrown away'));
  });

  it('stays that of the list at its start, also when it is tried again', async () => {
    watchDownloads();
    let fail: () => void = () => undefined;
    answer = () =>
      new Response(
        new ReadableStream({
          start(control) {
            fail = () => control.error(new TypeError('network error'));
          },
        }),
      );
    const { user, router } = await open('/deliveries?sort=id');
    await choose(user, 'CSV');
    await screen.findByText('Exporting 1,284 deliveries');
    const first = exported();
    total = 12;
    const filters = encodeFilters([
      { key: 'trucker', operator: 'equals', values: [{ label: 'T', value: 'Tres Hermanos' }] },
    ]);
    await act(() => router.navigate(`/deliveries?${new URLSearchParams({ filters, sort: 'id' })}`));
    await screen.findByText(/^12 /);
    expect(screen.getByText('Exporting 1,284 deliveries')).toBeInTheDocument();
    fail();
    answer = () => new Response('x');
    await user.click(await screen.findByText('Retry'));
    await screen.findByText(/^Exported to/);
    const all = server.calls.filter(({ name }) => name === '/export/deliveries');
    expect(all.map(({ variables }) => variables)).toEqual([first, first]);
  });

  it('shows its share of a file whose size is known', async () => {
    watchDownloads();
    answer = (signal) =>
      new Response(
        new ReadableStream({
          start(control) {
            control.enqueue(new Uint8Array(2048));
            signal?.addEventListener('abort', () => control.error(signal.reason));
          },
        }),
        { headers: { 'content-length': '8192' } },
      );
    const { user } = await open();
    await choose(user, 'Excel (XLSX)');
    expect(await screen.findByText('2 KB of 8 KB')).toBeInTheDocument();
    expect(document.querySelector('[role="progressbar"][aria-label="Export"]')).toHaveAttribute(
      'aria-valuenow',
      '25',
    );
  });

  it("says what the server refused, and tries again", async () => {
    watchDownloads();
    answer = () =>
      Response.json(
        { ok: false, error: 'A sheet holds 1,048,575 rows. Choose CSV.', code: 'BAD_USER_INPUT' },
        { status: 400 },
      );
    const { user } = await open();
    await choose(user, 'Excel (XLSX)');
    expect(await screen.findByText('A sheet holds 1,048,575 rows. Choose CSV.')).toBeInTheDocument();
    await expectAccessible();
    answer = () => new Response('x');
    await user.click(screen.getByText('Retry'));
    await screen.findByText(/^Exported to/);
  });

  it('may take minutes until it begins, since a workbook begins only once it is complete', async () => {
    watchDownloads();
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
    const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
    let arrive: (response: Response) => void = () => undefined;
    answer = (signal) =>
      new Promise<Response>((resolve, reject) => {
        arrive = resolve;
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const { user } = await open();
    await choose(user, 'Excel (XLSX)');
    await pass(600_000);
    arrive(new Response('x'));
    expect(await screen.findByText(/^Exported to/)).toBeInTheDocument();
    await user.click(screen.getByLabelText('Close'));
    await choose(user, 'Excel (XLSX)');
    await pass(EXPORT_LIMIT_MS);
    expect(await screen.findByText(/^The export took too long/)).toBeInTheDocument();
    // A proxy in front has its own limit and no text.
    answer = () => new Response('<html>', { status: 504 });
    await user.click(screen.getByText('Retry'));
    expect(await screen.findByText(/^The export took too long/)).toBeInTheDocument();
    vi.useRealTimers();
  });

  it('that breaks off saves nothing and says so', async () => {
    const saved = watchDownloads();
    answer = () =>
      new Response(
        new ReadableStream({
          pull(control) {
            control.error(new TypeError('network error'));
          },
        }),
      );
    const { user } = await open();
    await choose(user, 'CSV');
    expect(await screen.findByText(/^The export stopped early/)).toBeInTheDocument();
    expect(saved).toEqual([]);
  });

  it('that the server breaks off at its limit says that it took too long', async () => {
    const now = Date.now.bind(Date);
    answer = () =>
      new Response(
        new ReadableStream({
          pull(control) {
            vi.spyOn(Date, 'now').mockImplementation(() => now() + EXPORT_LONGEST_MS);
            control.error(new TypeError('network error'));
          },
        }),
      );
    const { user } = await open();
    await choose(user, 'CSV');
    expect(await screen.findByText(/^The export took too long/)).toBeInTheDocument();
  });
});
