import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import Plot from './plot';

// There is no layout here, and without a size nothing is drawn.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 640, 200));
});

// recharts keeps the element that it measures texts with.
afterEach(() => document.querySelector('#recharts_measurement_span')?.remove());

/** Returns the outlines of the bars of a chart with this many days. */
function outlines(days: number): Set<string | null> {
  const categories = Array.from({ length: days }, (_, day) => ({ id: `d${day}`, label: `Day ${day}` }));
  const series = [{ id: 'Pending', label: 'Pending', values: categories.map(() => 1) }];
  const data = { categories, isTime: true, series };
  const { container, unmount } = render(
    <Plot kind="stacked" data={data} title="Deliveries" height={200} format={String} />,
  );
  const found = [...container.querySelectorAll('.recharts-bar-rectangle path')];
  expect(found).toHaveLength(days);
  const widths = new Set(found.map((bar) => bar.getAttribute('stroke-width')));
  unmount();
  return widths;
}

it('separates bars by an outline, unless they are so narrow that it would hide them', () => {
  expect(outlines(7)).toEqual(new Set(['1']));
  expect(outlines(366)).toEqual(new Set(['0']));
});

it('says the figures that its keys go through', async () => {
  const categories = ['Mon', 'Tue'].map((label) => ({ id: label, label }));
  const series = [
    { id: 'Pending', label: 'Pending', values: [3, 1] },
    { id: 'Rejected', label: 'Rejected', values: [2, null] },
  ];
  const { container } = render(
    <Plot kind="stacked" data={{ categories, isTime: true, series }} title="Deliveries" height={200} format={String} />,
  );
  const said = () => container.querySelector('[aria-live="polite"]')?.textContent;
  expect(said()).toBe('');
  await userEvent.tab();
  expect(screen.getByRole('application')).toHaveFocus();
  await waitFor(() => expect(said()).toBe('Mon: Pending 3, Rejected 2'));
  await userEvent.keyboard('{ArrowRight}');
  await waitFor(() => expect(said()).toBe('Tue: Pending 1'));
});
