import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { expectAccessible } from '@/test/axe';
import { firstRow, openList, setStage } from '@/test/deliveries-list';

vi.setConfig({ testTimeout: 20_000 });
beforeEach(setStage);

it('are pinned and resized by keys, and stay so', async () => {
  const { user: hand, unmount } = await openList();
  await firstRow();
  const shown = (label: string) => screen.getByText(label, { selector: 'th *' }).closest('th');
  await hand.click(screen.getByLabelText('Columns'));
  await hand.click(screen.getByLabelText('Pin Customer Name'));
  await waitFor(() => expect(shown('Customer Name')?.style.left).not.toBe(''));
  expect(screen.getByLabelText('Pin Customer Name')).toHaveAttribute('aria-pressed', 'true');
  const order = screen.getAllByRole('columnheader').map((it) => it.textContent);
  expect(order.indexOf('Customer Name')).toBe(order.indexOf('Delivery Doc') + 1);
  const widths = () => [...document.querySelectorAll('col')].map((it) => it.style.width);
  const before = widths();
  await hand.click(screen.getByLabelText('Make Customer Name wider'));
  await waitFor(() => expect(widths()).not.toEqual(before));
  await expectAccessible();
  const after = widths();
  unmount();
  await openList();
  await firstRow();
  expect(widths()).toEqual(after);
  await hand.click(screen.getByLabelText('Columns'));
  await hand.click(screen.getByText('Reset'));
  await waitFor(() => expect(shown('Customer Name')?.style.left).toBe(''));
});
