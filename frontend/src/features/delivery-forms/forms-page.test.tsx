import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { listOf } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { deliveryRow } from '@/test/deliveries';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './forms-page';

vi.mock('@/lib/download-blob', () => ({ downloadBlob: vi.fn<() => void>() }));
const { downloadBlob } = await import('@/lib/download-blob');

let server: FakeServer;
const COUNTED = ['all', 'Pending', 'Complete_No_Variance', 'Complete_With_Variance', 'Undelivered', 'Rejected'];

let rows: object[];
let failing: boolean;
let total: number | undefined;
/** Holds back the rows. */
let held: Promise<void> | undefined;
let pdfs: Record<string, () => Response | Promise<Response>>;

beforeEach(() => {
  vi.mocked(downloadBlob).mockClear();
  failing = false;
  total = undefined;
  held = undefined;
  rows = [
    deliveryRow(1, { deliverystatus: 'Complete_No_Variance', formVersion: 2 }),
    deliveryRow(2, { formVersion: 0 }),
    deliveryRow(3, { id: 'A/B 100%', deliverystatus: 'Rejected', formVersion: 1 }),
  ];
  pdfs = {
    '/delivery-forms/DR-1.pdf': () => new Response('%PDF 1'),
    '/delivery-forms/DR-2.pdf': () => Response.json({ ok: false, error: 'None' }, { status: 404 }),
    '/delivery-forms/A%2FB%20100%25.pdf': () => new Response('%PDF 3'),
  };
});

async function open() {
  server = startFakeServer({
    user: { ...rosa, roles: ['viewer'] },
    operations: {
      FormsByStatus: () => ({
        data: Object.fromEntries(COUNTED.map((name) => [name, { total: rows.length, exact: true }])),
      }),
      FormsPage: async () => {
        await held;
        if (failing) throw new TypeError('lost');
        return listOf('deliveries', rows, total);
      },
    },
    paths: pdfs,
  });
  const view = renderRoutes(declarations, '/forms');
  await screen.findByRole('heading', { level: 1, name: 'Forms' });
  return view;
}

const page = () =>
  server.calls.findLast(({ name }) => name === 'FormsPage')?.variables.page as { where: unknown };
const asked = (path: string) => server.calls.filter(({ name }) => name === path);

/** Selects all rows of the page and opens the download. */
async function openDownload(user: Awaited<ReturnType<typeof open>>['user']) {
  await screen.findByRole('row', { name: /DR-1/ });
  for (const box of screen.getAllByRole('checkbox', { name: /DR-|A\/B/ })) await user.click(box);
  await user.click(await screen.findByRole('button', { name: 'Download forms' }));
  return screen.findByRole('dialog', { name: 'Download forms' });
}

it('lists deliveries with their forms, and opens them', async () => {
  await open();
  const first = await screen.findByRole('row', { name: /DR-1/ });
  expect(within(first).getByRole('link', { name: 'DR-1' })).toHaveAttribute('href', '/forms/DR-1');
  expect(first).toHaveTextContent('Version 2');
  expect(screen.getByRole('row', { name: /DR-2/ })).toHaveTextContent('None yet');
  expect(screen.getByRole('link', { name: 'A/B 100%' })).toHaveAttribute(
    'href',
    '/forms/A%2FB%20100%25',
  );
  expect(screen.getByRole('columnheader', { name: /Delivery Doc/ })).toBeInTheDocument();
  await expectAccessible();
});

it('is found by delivery from the top bar', async () => {
  const { user } = await open();
  await user.type(screen.getByRole('textbox', { name: 'Delivery Doc' }), 'DR-1{Enter}');
  await waitFor(() =>
    expect(page().where).toEqual([{ key: 'id', operator: 'contains', values: ['DR-1'] }]),
  );
});

it('selects nothing when the selection was cleared while all that match were looked for', async () => {
  total = 250;
  let answer: () => void = () => undefined;
  const { user } = await open();
  await user.click(await screen.findByRole('checkbox', { name: 'Select DR-1' }));
  held = new Promise((resolve) => (answer = resolve));
  await user.click(screen.getByRole('button', { name: 'Select all 250' }));
  expect(await screen.findByRole('button', { name: 'Selecting... 0' })).toBeInTheDocument();
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('group', { name: 'Selected rows' })).not.toBeInTheDocument();
  await act(async () => {
    answer();
    // Until the answer was read.
    await new Promise((resolve) => setTimeout(resolve));
  });
  expect(screen.queryByRole('group', { name: 'Selected rows' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('checkbox', { name: 'Select DR-2' }));
  expect(await screen.findByRole('group', { name: 'Selected rows' })).toHaveTextContent('1 selected');
});

it('selects all that match, even if another page is opened meanwhile', async () => {
  total = 250;
  let answer: () => void = () => undefined;
  const { user, address } = await open();
  await user.click(await screen.findByRole('checkbox', { name: 'Select DR-1' }));
  held = new Promise((resolve) => (answer = resolve));
  await user.click(screen.getByRole('button', { name: 'Select all 250' }));
  await screen.findByRole('button', { name: 'Selecting... 0' });
  await user.click(screen.getByRole('button', { name: 'Next page' }));
  await waitFor(() => expect(address()).toContain('offset='));
  act(() => answer());
  await waitFor(() => expect(screen.getByRole('group', { name: 'Selected rows' })).toHaveTextContent('3 selected'));
});

it('saves the forms of the selected deliveries as one ZIP', async () => {
  const { user } = await open();
  const dialog = within(await openDownload(user));
  expect(dialog.getByText(/Newest forms for 3 deliveries/)).toBeInTheDocument();
  await user.click(dialog.getByRole('radio', { name: 'Letter' }));
  await expectAccessible();
  await user.click(dialog.getByRole('button', { name: 'Download' }));
  expect(await dialog.findByText('2 forms saved')).toBeInTheDocument();
  expect(dialog.getByRole('list', { name: '1 delivery has no form yet' })).toHaveTextContent('DR-2');
  expect(dialog.queryByRole('button', { name: 'Retry' })).not.toBeInTheDocument();
  expect(downloadBlob).toHaveBeenCalledTimes(1);
  const [name, zip] = vi.mocked(downloadBlob).mock.calls[0] ?? [];
  expect(name).toMatch(/^delivery-forms-\d{4}-\d{2}-\d{2}\.zip$/);
  expect(zip?.size).toBeGreaterThan(0);
  expect(asked('/delivery-forms/DR-1.pdf')[0]?.variables).toEqual({ paper: 'letter' });
  await expectAccessible();

  await user.click(dialog.getByText('Close', { selector: 'button' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.queryByRole('button', { name: 'Download forms' })).not.toBeInTheDocument();
});

it('tells which forms failed, and tries those again', async () => {
  pdfs['/delivery-forms/DR-1.pdf'] = () =>
    Response.json({ ok: false, error: 'Busy, try again' }, { status: 503 });
  const { user } = await open();
  const dialog = within(await openDownload(user));
  await user.click(dialog.getByRole('button', { name: 'Download' }));
  const failed = await dialog.findByRole('list', { name: '1 form failed' });
  expect(failed).toHaveTextContent('DR-1Busy, try again');
  pdfs['/delivery-forms/DR-1.pdf'] = () => new Response('%PDF 1');
  await user.click(dialog.getByRole('button', { name: 'Retry' }));
  expect(await dialog.findByText('1 form saved')).toBeInTheDocument();
  expect(asked('/delivery-forms/DR-1.pdf')).toHaveLength(2);
  expect(asked('/delivery-forms/A%2FB%20100%25.pdf')).toHaveLength(1);
  expect(vi.mocked(downloadBlob).mock.calls[1]?.[0]).toMatch(/-2\.zip$/);
});

it('shows how far it is, and can be called off', async () => {
  pdfs['/delivery-forms/A%2FB%20100%25.pdf'] = () => new Promise<Response>(() => undefined);
  const { user } = await open();
  const dialog = within(await openDownload(user));
  await user.click(dialog.getByRole('button', { name: 'Download' }));
  expect(await dialog.findByText('2 of 3')).toBeInTheDocument();
  expect(dialog.getByRole('progressbar', { name: 'Download forms' })).toHaveAttribute(
    'aria-valuenow',
    '67',
  );
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect(await dialog.findByRole('button', { name: 'Download' })).toBeInTheDocument();
  expect(downloadBlob).not.toHaveBeenCalled();
});

it('says that there is nothing yet, and what failed', async () => {
  rows = [];
  const { unmount } = await open();
  await screen.findByRole('heading', { name: 'No forms yet' });
  unmount();
  failing = true;
  await open();
  await screen.findByRole('heading', { name: 'Something went wrong' });
});
