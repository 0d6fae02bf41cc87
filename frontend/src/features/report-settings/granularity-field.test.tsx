import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { filterMembers, reportMembers, reportSetting } from '@/test/announcements';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './report-setting-page';

it('offers every unit of time, and none that is too short for the range', async () => {
  const server = startFakeServer({
    user: rosa,
    operations: {
      ViewReportSetting: () => ({ data: { reportSetting: reportSetting('r1') } }),
      ReportMembers: () => ({ data: { reportMembers } }),
      ReportFilterMembers: () => ({ data: filterMembers }),
      ReportSchedule: () => ({ data: { reportSchedule: null, sendsMail: true } }),
    },
  });
  const { user } = renderRoutes(declarations, '/admin/settings/report/r1');
  await screen.findByRole('heading', { level: 2, name: 'Deliveries by day' });
  const granularity = await screen.findByRole('combobox', { name: /^Granularity/ });
  const range = screen.getByLabelText('Range in days');
  expect(within(granularity).getAllByRole('option').map((option) => option.textContent)).toEqual([
    'No time grouping',
    'Second',
    'Minute',
    'Hour',
    'Day',
    'Week',
    'Month',
    'Quarter',
    'Year',
  ]);
  expect(within(granularity).getByRole('option', { name: 'Second' })).toBeDisabled();
  await user.selectOptions(granularity, 'Minute');
  await user.clear(range);
  await user.type(range, '35');
  expect(within(granularity).getByRole('option', { name: 'Minute' })).toBeDisabled();
  expect(within(granularity).getByRole('option', { name: 'Hour' })).toBeEnabled();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(granularity).toHaveAccessibleDescription('Choose a longer unit of time, or a range of at most 34 days'),
  );
  expect(server.calls.filter(({ name }) => name === 'UpdateReportSetting')).toEqual([]);
  await user.clear(range);
  await user.type(range, '34');
  await waitFor(() => expect(granularity).not.toHaveAccessibleDescription(/Choose a longer unit of time/));
});
