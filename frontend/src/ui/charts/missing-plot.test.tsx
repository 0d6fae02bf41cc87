import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderParts } from '@/test/render';
import { ChartPanel } from './chart-panel';

const code = vi.hoisted(() => ({ isThere: false }));
vi.mock('./plot', () => {
  if (!code.isThere) throw new Error('chunk');
  return { default: () => <p>Plot</p> };
});

const data = {
  categories: [{ id: 'a', label: 'Monday' }],
  isTime: false,
  series: [{ id: 's', label: 'Deliveries', values: [3] }],
};

it('shows the table if the chart cannot be loaded, and loads it again when it is chosen', async () => {
  const { user } = await renderParts(
    <ChartPanel kind="bars" title="Per day" heading="Day" summary="3 deliveries" data={data} format={String} />,
  );
  const chart = await screen.findByRole('button', { name: 'Chart', pressed: false });
  code.isThere = true;
  await user.click(chart);
  expect(await screen.findByText('Plot')).toBeInTheDocument();
});
