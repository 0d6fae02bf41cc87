import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ChartPanel } from './chart-panel';

const drawn = vi.hoisted(() => vi.fn<() => void>());
vi.mock('./plot', () => ({
  default: function Plot() {
    drawn();
    return <p>Plot</p>;
  },
}));

const days = ['Monday', 'Tuesday', 'Wednesday'];
const data = {
  categories: days.map((label) => ({ id: label, label })),
  isTime: true,
  series: [{ id: 's', label: 'Deliveries', values: [1, 2, 3] }],
};

/** Renders a chart, and returns the spy that formats the figures of its table. */
async function open(bare: boolean) {
  const format = vi.fn((value: number) => String(value));
  const view = render(
    <ChartPanel
      kind="bars"
      title="Per day"
      heading="Day"
      summary="6 deliveries"
      data={data}
      format={format}
      bare={bare}
    />,
  );
  await screen.findByText('Plot');
  return { ...view, format };
}

it('has no table, not even a hidden one, where the page has its own', async () => {
  const { container, format } = await open(true);
  expect(container.querySelector('table')).not.toBeInTheDocument();
  expect(format).not.toHaveBeenCalled();
});

it('marks the hovered row without drawing the chart or other rows again', async () => {
  const { format } = await open(false);
  format.mockClear();
  drawn.mockClear();
  const row = screen.getByRole('row', { name: /^Tuesday/ });
  await userEvent.hover(row);
  expect(row).toHaveClass('bg-accent-soft');
  expect(new Set(format.mock.calls.map(([value]) => value))).toEqual(new Set([2]));
  expect(drawn).not.toHaveBeenCalled();
});
