// Access to pages: without a session, every private page leads to the login page, which leads back after the
// sign-in.
import { admin } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';

const PRIVATE = [
  ['/deliveries', '/login?redirectTo=/deliveries'],
  ['/deliveries?limit=50&sort=id', '/login?redirectTo=/deliveries%3Flimit%3D50%26sort%3Did'],
  ['/view-delivery/80100001', '/login?redirectTo=/view-delivery/80100001'],
  ['/upload-deliveries', '/login?redirectTo=/upload-deliveries'],
  ['/uploaded-details/some-log', '/login?redirectTo=/uploaded-details/some-log'],
  ['/forbidden', '/login?redirectTo=/forbidden'],
  ['/', '/login?redirectTo=/'],
] as const;

test.describe('nobody', () => {
  test('an address behind the sign-in asks for it first', async ({ page }) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    for (const [from, to] of PRIVATE) {
      await page.goto(from);
      await expect(page.getByRole('button', { name: 'Sign in' }), from).toBeVisible();
      const { pathname, search } = new URL(page.url());
      expect(pathname + search).toBe(to);
      await expect(page.getByRole('navigation', { name: 'Primary' })).toHaveCount(0);
    }
    expect(asked.filter((body) => /deliver|uploadLog/.test(body)), 'nothing was even asked for').toEqual([]);
  });

  test('the sign-in leads back to where it was asked for, and never to another site', async ({ page }) => {
    const targets = [
      ['/deliveries%3Flimit%3D50', '/deliveries?limit=50'],
      ['https://evil.example/', '/'],
      ['//evil.example/', '/'],
      ['/%5Cevil.example/', '/'],
      ['javascript:alert(1)', '/'],
    ];
    for (const [target, landing] of targets) {
      await page.goto(`/login?redirectTo=${target}`);
      await page.getByLabel('Username').fill(admin.username);
      await page.getByLabel('Password', { exact: true }).fill(admin.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page, `${target}`).toHaveURL(landing!);
      await expect(page.getByRole('heading', { level: 1, name: landing === '/' ? 'Dashboard' : 'Deliveries' })).toBeVisible();
      await page.getByRole('button', { name: 'Logout' }).click();
      await expect(page).toHaveURL('/login');
    }
  });

  test('a second first account is not offered', async ({ page }) => {
    await page.goto('/auth/create-admin');
    await expect(page.getByText('An account already exists')).toBeVisible();
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await expect(page).toHaveURL('/login');
    await expect(page.getByRole('link', { name: 'Create the first administrator' })).toHaveCount(0);
  });

  test('public pages need no session', async ({ page }) => {
    await page.goto('/no/such/page');
    await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible();
    await expect(page).toHaveTitle('Page not found | Waybill');
  });
});

test.describe('admin', () => {
  test.use({ as: 'admin' });

  const SCREENS = [
    ['/deliveries', 'Deliveries'],
    ['/upload-deliveries', 'Import'],
    ['/forbidden', 'Forbidden'],
  ] as const;

  test('an address opens its screen', async ({ page }) => {
    for (const [address, title] of SCREENS) {
      await page.goto(address);
      await expect(page.getByRole('heading', { level: 1, name: title, exact: true })).toBeVisible();
      await expect(page).toHaveTitle(`${title} | Waybill`);
      await expect(page).toHaveURL(address);
    }
  });

  test('the sign-in and the first account are behind whoever is signed in', async ({ page }) => {
    const targets = [
      ['/login', '/'],
      ['/auth/create-admin', '/'],
      ['/login?redirectTo=/deliveries', '/deliveries'],
      ['/', '/'],
    ] as const;
    for (const [from, to] of targets) {
      await page.goto(from);
      await expect(page, from).toHaveURL(to);
    }
  });

  test('what does not exist says so, within reach of what does', async ({ page }) => {
    await page.goto('/view-delivery/no-such-doc');
    await expect(page.getByRole('heading', { name: 'Delivery not found' })).toBeVisible();
    await page.getByRole('link', { name: 'Show deliveries' }).click();
    await expect(page).toHaveURL('/deliveries');
    await page.goto('/uploaded-details/no-such-log');
    await expect(page.getByRole('heading', { name: 'Import not found' })).toBeVisible();
    await page.goto('/no/such/page');
    await page.getByRole('link', { name: 'Go to Dashboard' }).click();
    await expect(page).toHaveURL('/');
  });

  test('a session that ended elsewhere asks for the password over the page, which keeps what was typed', async ({
    page,
    context,
  }) => {
    await page.goto('/new-deliveries');
    await page.getByLabel('Delivery Doc').fill('S-1');
    await page.getByLabel('Trucker').fill('Southgate Movers');
    await context.request.post('/auth', { data: { method: 'logout' } });
    await page.getByRole('button', { name: 'Create delivery' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'You were signed out' });
    await dialog.getByLabel('Password', { exact: true }).fill(admin.password);
    await expect(page.getByLabel('Trucker')).toBeHidden();
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL('/new-deliveries');
    await expect(page.getByLabel('Trucker')).toBeVisible();
    await expect(page.getByLabel('Delivery Doc')).toHaveValue('S-1');
    await expect(page.getByLabel('Trucker')).toHaveValue('Southgate Movers');
  });

  test('a session that ended elsewhere is noticed by itself, and the sign-in leads back', async ({ page, context }) => {
    await page.goto('/deliveries?offset=25');
    await expect(page.getByRole('table', { name: 'Deliveries' })).toBeVisible();
    await context.request.post('/auth', { data: { method: 'logout' } });
    const dialog = page.getByRole('alertdialog', { name: 'You were signed out' });
    await dialog.getByRole('button', { name: 'Sign in as another user' }).click();
    await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
    expect(new URL(page.url()).search).toBe('?redirectTo=/deliveries%3Foffset%3D25');
  });

  test('the drawer shows what there is, and where one is', async ({ page }) => {
    await page.goto('/deliveries');
    const links = page.getByRole('navigation', { name: 'Primary' }).getByRole('link');
    const drivers = ['Drivers', 'Driver Tracker', 'Drivers Reset Password'];
    const main = ['Dashboard', 'Import', 'Reports', 'Forms', ...drivers, 'User Reset Password', 'Delivery Status History', 'Driver Log'];
    const names = [...main, 'Deliveries', 'Sources', 'Customers', 'Query Lab', 'Settings', 'Announcements'];
    await expect(links).toHaveText(names);
    await expect(links.nth(main.length)).toHaveAttribute('aria-current', 'page');
    await expect(page.getByRole('region', { name: 'Account' })).toContainText('v1.0.30');
  });
});
