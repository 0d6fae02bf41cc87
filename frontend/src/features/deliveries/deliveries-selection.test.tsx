import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { encodeFilters } from '@/list/filters-codec';
import { listOf } from '@/test/accounts';
import { deliveryRow, lookedAtAll } from '@/test/deliveries';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';

vi.setConfig({ testTimeout: 20_000 });
// The number of rows on a page. It is small because jsdom is slow with each row.
const ROWS = 4;

const routes = [
  { name: 'deliveries', path: '/deliveries', page: () => import('./deliveries-page') },
];
let total: number;
/** Holds back the rows. */
let held: Promise<void> | undefined;

beforeEach(() => {
  lookedAtAll();
  total = 60;
  held = undefined;
  startFakeServer({
    user: rosa,
    operations: {
      DeliveriesPage: async ({ page }) => {
        const { offset } = page as { offset: number };
        await held;
        const size = Math.max(0, Math.min(ROWS, total - offset));
        const rows = Array.from({ length: size }, (_, at) => deliveryRow(1000 + offset + at));
        return listOf('deliveries', rows, total);
      },
    },
  });
});

// Opens the list. Tests query it by label and text, because jsdom takes seconds to find roles in a whole list.
async function open() {
  const view = renderRoutes(routes, '/deliveries');
  await screen.findByText('DR-1000', undefined, { timeout: 15_000 });
  return view;
}

const box = (id: string) => screen.getByLabelText(`Select ${id}`);
const bar = () => screen.getByLabelText('Selected rows');

it('takes no rows of the filters before, while those of the new filters load', async () => {
  const { user: hand, router } = await open();
  let answer: () => void = () => undefined;
  held = new Promise((resolve) => (answer = resolve));
  const filter = { key: 'trucker', operator: 'equals' as const, values: [{ label: 'T', value: 'T' }] };
  const filtered = new URLSearchParams({ filters: encodeFilters([filter]) }).toString();
  await act(() => router.navigate(`/deliveries?${filtered}`));
  await hand.click(box('DR-1000'));
  await hand.click(screen.getByLabelText('Select all rows on this page'));
  await hand.keyboard('*');
  expect(screen.queryByLabelText('Selected rows')).not.toBeInTheDocument();
  held = undefined;
  total = 2;
  answer();
  await waitFor(() => expect(screen.queryByText('DR-1003')).not.toBeInTheDocument());
  expect(screen.queryByLabelText('Selected rows')).not.toBeInTheDocument();
  await hand.click(box('DR-1000'));
  expect(bar()).toHaveTextContent('1 selected');
});

it('takes rows of the page before, while the next one of the same filters loads', async () => {
  const { user: hand } = await open();
  let answer: () => void = () => undefined;
  held = new Promise((resolve) => (answer = resolve));
  await hand.click(screen.getByLabelText('Next page'));
  await hand.click(box('DR-1001'));
  expect(bar()).toHaveTextContent('1 selected');
  answer();
  await screen.findByText('DR-1025');
  expect(bar()).toHaveTextContent('1 selected');
});
