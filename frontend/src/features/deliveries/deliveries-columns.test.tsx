import { createEvent, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { expectAccessible } from '@/test/axe';
import { firstRow, openList, setStage } from '@/test/deliveries-list';

beforeEach(setStage);

it('are pinned and resized by keys, and stay so', async () => {
  const { user: hand, unmount } = await openList();
  await firstRow();
  const shown = (label: string) => screen.getByText(label, { selector: 'th *' }).closest('th');
  await hand.click(screen.getByLabelText('Columns'));
  await hand.click(screen.getByLabelText('Pin Customer Name'));
  await waitFor(() => expect(shown('Customer Name')?.style.insetInlineStart).not.toBe(''));
  expect(screen.getByLabelText('Pin Customer Name')).toHaveAttribute('aria-pressed', 'true');
  const order = screen.getAllByRole('columnheader').map((it) => it.textContent);
  expect(order.indexOf('Customer Name')).toBe(order.indexOf('Delivery Doc') + 1);
  const widths = () => [...document.querySelectorAll('col')].map((it) => it.style.width);
  const before = widths();
  await hand.click(screen.getByLabelText('Make Customer Name wider'));
  await waitFor(() => expect(widths()).not.toEqual(before));
  await expectAccessible();
  await hand.click(screen.getByLabelText('Pin Trucker'));
  // Each column starts where the previous one ends.
  await waitFor(() => expect(shown('Trucker')?.style.insetInlineStart).not.toBe(''));
  const [box = 0, doc = 0, customer = 0] = widths().map(Number.parseFloat);
  expect(shown('Delivery Doc')?.style.insetInlineStart).toBe(`${box}px`);
  expect(shown('Customer Name')?.style.insetInlineStart).toBe(`${box + doc}px`);
  expect(shown('Trucker')?.style.insetInlineStart).toBe(`${box + doc + customer}px`);
  const after = widths();
  unmount();
  await openList();
  await firstRow();
  expect(widths()).toEqual(after);
  await hand.click(screen.getByLabelText('Columns'));
  await hand.click(screen.getByText('Reset'));
  await waitFor(() => expect(shown('Customer Name')?.style.insetInlineStart).toBe(''));
});

it('are hidden and shown by keys, with the focus staying on the column', async () => {
  const { user: hand } = await openList();
  await firstRow();
  await hand.click(screen.getByLabelText('Columns'));
  const box = () => screen.getByRole('checkbox', { name: 'Trucker' });
  box().focus();
  await hand.keyboard(' ');
  expect(box()).not.toBeChecked();
  expect(box()).toHaveFocus();
  await hand.keyboard(' ');
  expect(box()).toBeChecked();
  expect(box()).toHaveFocus();
});

it('change places by dragging', async () => {
  const { user: hand } = await openList();
  await firstRow();
  const headers = () => screen.getAllByRole('columnheader').map((it) => it.textContent);
  const [, doc, second, third] = headers();
  await hand.click(screen.getByLabelText('Columns'));
  const itemOf = (label: string) => screen.getByLabelText(`Pin ${label}`).closest('li') as Element;
  const handle = itemOf(String(third)).querySelector('[draggable]') as Element;
  const start = createEvent.dragStart(handle);
  Object.defineProperty(start, 'dataTransfer', { value: { setData: () => undefined } });
  fireEvent(handle, start);
  fireEvent.dragOver(itemOf(String(second)));
  fireEvent.dragEnd(handle);
  expect(headers().slice(1, 4)).toEqual([doc, third, second]);
});
