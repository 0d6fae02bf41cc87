// Saved reports with the keyboard alone: created, edited by two people at once, and deleted.
import type { Page } from '@playwright/test';
import { ask } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { choose, press, reach, typeInto } from '../support/keyboard.ts';
import { lookInBothSizes } from '../support/look.ts';
import { createReport, reportOf } from '../support/reports.ts';

test.use({ as: 'admin' });

const tag = () => Math.random().toString(36).slice(2, 8);
const BY_NAME = `query($page: PageOptions) {
  reportSettings(page: $page) {
    id version name reportKey rangeDays granularity groupBy format isActive
    columns { member label visible }
    defaultFilters { key operator values }
    sort { member direction }
  }
}`;
const DELETE = 'mutation($input: DeleteReportSettingInput!) { deleteReportSetting(input: $input) }';

async function saved(page: Page, name: string) {
  const where = [{ key: 'name', operator: 'equals', values: [name] }];
  const { reportSettings } = await ask(page.context().request, BY_NAME, { page: { where } });
  return reportSettings[0];
}

const columns = (page: Page) => page.getByRole('list', { name: 'Columns' }).getByRole('listitem');
const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });

test('a report is defined, changed and deleted without a mouse', async ({ page }) => {
  test.setTimeout(180_000);
  const name = `By carrier ${tag()}`;
  await page.goto('/admin/settings/users');
  await press(page, page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Report' }).first());
  await expect(page).toHaveURL('/admin/settings/reports');
  await expect(page.getByRole('table', { name: 'Report settings' })).toBeVisible();
  await lookInBothSizes(page, 'report-settings');
  await press(page, page.getByRole('link', { name: 'New report setting' }).first());
  await expect(page).toHaveURL('/admin/settings/report/new');

  const create = page.getByRole('button', { name: 'Create report setting' });
  await press(page, create);
  await expect(page.getByText('Choose at least one column').first()).toBeVisible();
  await expect(page.getByLabel('Name')).toBeFocused();
  await expect(page.getByLabel('Range in days')).toHaveValue('7');
  await typeInto(page, page.getByLabel('Name'), name);
  const adder = page.getByRole('combobox', { name: 'Add column' });
  for (const column of ['Trucker', 'Delivery Status', 'Deliveries']) {
    await reach(page, adder);
    await adder.selectOption(column);
  }
  await press(page, page.getByRole('button', { name: 'Move Deliveries up' }));
  await page.keyboard.press('Enter');
  await expect(columns(page).first()).toContainText('Deliveries');
  await expect(page.getByRole('button', { name: 'Move Deliveries up' })).toBeFocused();
  await typeInto(page, page.getByRole('textbox', { name: 'Label for Trucker' }), 'Carrier');
  await press(page, page.getByRole('button', { name: 'Add filter' }));
  const filter = page.getByRole('group', { name: 'Filter 1' });
  await filter.getByRole('combobox', { name: 'Field' }).selectOption('Delivery Status');
  await typeInto(page, filter.getByRole('combobox', { name: 'Value' }), 'no variance');
  await expect(filter.getByRole('listbox').getByRole('option')).toHaveText(['Complete no variance']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await press(page, page.getByRole('group', { name: /^Group by/ }).getByRole('checkbox', { name: 'Carrier' }), 'Space');
  await press(page, page.getByRole('button', { name: 'Add sort' }));
  await lookInBothSizes(page, 'report-setting');
  await press(page, create);
  await expect(page.getByText(`${name} created`)).toBeVisible();
  await expect(rowOf(page, name)).toContainText('Last 7 days');
  expect(await saved(page, name)).toMatchObject({
    reportKey: 'deliveries',
    columns: [
      { member: 'Delivery.count', label: '', visible: true },
      { member: 'Delivery.trucker', label: 'Carrier', visible: true },
      { member: 'Delivery.deliverystatus', label: '', visible: true },
    ],
    defaultFilters: [{ key: 'Delivery.deliverystatus', operator: 'equals', values: ['Complete_No_Variance'] }],
    granularity: 'day',
    groupBy: ['Delivery.trucker'],
    sort: [{ member: 'Delivery.count', direction: 'asc' }],
    format: 'xlsx',
    isActive: true,
  });

  await press(page, page.getByRole('link', { name }));
  await expect(page.getByRole('heading', { level: 2, name })).toBeVisible();
  const save = page.getByRole('button', { name: 'Save' });
  await expect(save).toBeDisabled();
  await typeInto(page, page.getByLabel('Range in days'), '367');
  await press(page, save);
  await expect(page.getByText('Range in days is too high').first()).toBeVisible();
  await typeInto(page, page.getByLabel('Range in days'), '30');
  await press(page, page.getByRole('button', { name: 'Remove Delivery Status' }));
  await expect(adder).toBeFocused();
  await press(page, save);
  await expect(page.getByText(`${name} saved`)).toBeVisible();
  await expect(rowOf(page, name)).toContainText('Last 30 days');
  await press(page, page.getByRole('button', { name: `Actions for ${name}` }));
  await choose(page, 'Delete');
  await press(page, page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }));
  await expect(page.getByText(`${name} deleted`)).toBeVisible();
  await expect(rowOf(page, name)).toHaveCount(0);
});

test('two who edit one report do not overwrite each other, and columns can be dragged', async ({ page }) => {
  const name = `Dragged ${tag()}`;
  const members = ['Delivery.id', 'Delivery.trucker', 'Delivery.count'];
  const reportSetting = reportOf({ name, columns: members.map((member) => ({ member, label: '', visible: true })) });
  const { request } = page.context();
  const { id, version } = await createReport(request, reportSetting);

  await page.goto(`/admin/settings/report/${id}`);
  await expect(columns(page)).toHaveCount(3);
  await columns(page).first().locator('[draggable]').dragTo(columns(page).last());
  await expect(columns(page).last()).toContainText('Delivery Doc');
  const change = 'mutation($input: UpdateReportSettingInput!) { updateReportSetting(input: $input) { version } }';
  await ask(request, change, { input: { id, version, reportSetting: { ...reportSetting, rangeDays: 14 } } });
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(/changed this on .*, after you opened it/)).toBeVisible();
  await lookInBothSizes(page, 'report-setting-conflict');
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.getByLabel('Range in days')).toHaveValue('14');
  await columns(page).first().locator('[draggable]').dragTo(columns(page).last());
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${name} saved`)).toBeVisible();
  const now = await saved(page, name);
  expect(now).toMatchObject({ rangeDays: 14 });
  expect(now.columns.map(({ member }: { member: string }) => member)).toEqual([
    'Delivery.trucker',
    'Delivery.count',
    'Delivery.id',
  ]);
  await ask(request, DELETE, { input: { id, version: now.version } });
});
