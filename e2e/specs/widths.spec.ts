// Widths between a phone and a wide screen, and a zoom of 400 %: everything needed is in view.
import { ask } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';

test.use({ as: 'admin' });

const headers = ['Delivery Doc', 'Dispatch Date and Time', 'Delivery Status', 'Customer Name'];

test('a tablet has a rail, a title and the first columns', async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 1024 });
  await page.goto('/deliveries');
  const table = page.getByRole('table', { name: 'Deliveries' });
  await expect(table).toBeVisible();
  for (const name of headers) await expect(table.getByRole('columnheader', { name })).toBeInViewport({ ratio: 1 });
  await expect(table.getByRole('columnheader', { name: 'Trucker' })).toHaveCount(0);
  const title = await page.getByRole('heading', { level: 1, name: 'Deliveries' }).boundingBox();
  expect(title?.width).toBeGreaterThanOrEqual(160);
  const rail = page.getByRole('navigation', { name: 'Primary' });
  expect((await rail.boundingBox())?.width).toBeLessThanOrEqual(56);
  await rail.getByRole('link', { name: 'Customers' }).hover();
  await expect(page.getByRole('tooltip')).toHaveText('Customers');
  await page.mouse.move(400, 10);
  await page.getByRole('button', { name: 'Open menu' }).click();
  await expect(page.getByRole('dialog', { name: 'Menu' }).getByText('Customers')).toBeVisible();
});

for (const width of [1024, 1366, 1440]) {
  test(`the default list fits ${width} pixels`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/deliveries');
    const region = page.getByRole('region', { name: 'Deliveries' });
    await expect(region.getByRole('table')).toBeVisible();
    const [inner, outer] = await region.evaluate((it) => [it.scrollWidth, it.clientWidth]);
    expect(inner).toBeLessThanOrEqual(outer!);
    for (const name of headers) await expect(region.getByRole('columnheader', { name })).toBeInViewport({ ratio: 1 });
    await expect(region.getByRole('columnheader', { name: 'Trucker' })).toHaveCount(width < 1100 ? 0 : 1);
  });
}

test('a printed list has all rows of its page', async ({ page }) => {
  for (const path of ['/deliveries', '/customers', '/forms']) {
    await page.goto(`${path}?limit=100`);
    const region = page.getByRole('main').getByRole('region').last();
    await expect(region.getByRole('row').nth(10)).toBeVisible();
    await page.emulateMedia({ media: 'print' });
    const [rows, end, paper] = await region.evaluate((it) => [
      it.querySelector('table')!.getBoundingClientRect().bottom,
      it.getBoundingClientRect().bottom,
      document.documentElement.scrollHeight,
    ]);
    expect(rows, path).toBeLessThanOrEqual(end!);
    expect(rows, path).toBeLessThanOrEqual(paper!);
    await page.emulateMedia({ media: 'screen' });
  }
});

test('a list comes back scrolled as it was left', async ({ page }) => {
  await page.goto('/deliveries?limit=100');
  const region = page.getByRole('region', { name: 'Deliveries' });
  const row = region.getByRole('link').nth(60);
  const id = await row.innerText();
  await row.scrollIntoViewIfNeeded();
  const top = await region.evaluate((it) => it.scrollTop);
  expect(top).toBeGreaterThan(0);
  await row.click();
  await expect(page.getByRole('heading', { name: id, exact: true })).toBeVisible();
  await page.goBack();
  await expect(region.getByRole('link', { name: id, exact: true })).toBeFocused();
  expect(await region.evaluate((it) => it.scrollTop)).toBe(top);
});

test('a list comes back scrolled as it was left, on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/deliveries');
  const row = page.getByRole('region', { name: 'Deliveries' }).getByRole('link').nth(18);
  await row.scrollIntoViewIfNeeded();
  const id = (await row.innerText()).match(/^\S+-\d+/m)?.[0];
  const top = await page.evaluate(() => window.scrollY);
  expect(top).toBeGreaterThan(0);
  await row.click();
  await expect(page.getByRole('heading', { name: id!, exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Back to Deliveries' }).click();
  const opened = page.getByRole('link', { name: new RegExp(id!) });
  await expect(opened).toBeFocused();
  await expect(opened).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => window.scrollY)).toBe(top);
});

test('a phone exports a list, and has no tools for columns that it has not', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/deliveries');
  await page.getByRole('button', { name: 'Export' }).click();
  await expect(page.getByRole('menuitem', { name: 'CSV' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Columns' })).toBeHidden();
});

test('the actions for selected rows cover neither the last row of a phone nor its page buttons', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/deliveries');
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  const rows = page.getByRole('region', { name: 'Deliveries' }).getByRole('listitem');
  await rows.first().getByRole('checkbox').check();
  const bar = page.getByRole('group', { name: 'Selected rows' });
  await expect(bar.getByRole('button', { name: 'Clear the selection' })).toBeInViewport({ ratio: 1 });
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  const [last, actions, next] = await Promise.all(
    [rows.last(), bar, page.getByRole('button', { name: 'Next page' })].map((it) => it.boundingBox()),
  );
  expect(last!.y + last!.height).toBeLessThanOrEqual(actions!.y);
  expect(actions!.y + actions!.height).toBeLessThanOrEqual(next!.y);
});

test('a phone has a way back', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { deliveries } = await ask(page.context().request, '{ deliveries(page: { limit: 1 }) { id } }');
  await page.goto(`/view-delivery/${deliveries[0].id}`);
  await page.getByRole('link', { name: 'Back to Deliveries' }).click();
  await expect(page).toHaveURL('/deliveries');
});

test('at a zoom of 400 % nothing stays in place over the form', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 256 });
  await page.goto('/new-deliveries');
  await page.getByLabel('Customer Name').focus();
  for (const bar of [page.getByRole('banner'), page.getByRole('button', { name: 'Create delivery' })]) {
    await expect(bar).not.toBeInViewport();
  }
});
