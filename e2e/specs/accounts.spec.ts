// Accounts from the invitation link to the last sign-out, as their owners see them.
import type { Browser, Page } from '@playwright/test';
import { driverAccount, officeAccount, resetLink } from '../support/accounts.ts';
import { ask, signIn } from '../support/api.ts';
import { expect, lookedAtAll, test } from '../support/fixtures.ts';
import { SIZES, look } from '../support/look.ts';

/** Returns a page in another browser, in which nobody is signed in. */
async function elsewhere(browser: Browser, baseURL: string | undefined): Promise<Page> {
  const context = await browser.newContext({ baseURL: baseURL!, timezoneId: 'America/New_York' });
  await lookedAtAll(context);
  return context.newPage();
}

async function logIn(page: Page, username: string, password: string) {
  await page.goto('/login');
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test.describe('an administrator', () => {
  test.use({ as: 'admin' });

  test('makes an account, hands over its link, and shuts it again', async ({ page, browser, baseURL }) => {
    await page.goto('/admin/settings/users');
    await page.getByRole('link', { name: 'Create new user' }).click();
    await page.getByRole('button', { name: 'Create user' }).click();
    await expect(page.getByText('Username is required').first()).toBeVisible();
    await page.getByLabel('Username').fill('lara');
    await page.getByLabel('Display name').fill('Lara Mendoza');
    await page.getByLabel('Email').fill('lara@habagat.example');
    await page.getByRole('checkbox', { name: /Dispatcher/ }).check();
    await page.getByRole('button', { name: 'Create user' }).click();
    await expect(page.getByText('User lara created')).toBeVisible();
    await expect(page.getByText('Invited').first()).toBeVisible();

    await page.getByRole('button', { name: 'Create invitation link' }).click();
    const link = await page.getByLabel('Reset link', { exact: true }).inputValue();
    expect(new URL(link).pathname).toBe('/reset-password');

    const lara = await elsewhere(browser, baseURL);
    await lara.goto(link);
    await lara.getByLabel('New password', { exact: true }).fill('short');
    await lara.getByLabel('Repeat new password', { exact: true }).fill('short');
    await lara.getByRole('button', { name: 'Save password' }).click();
    await expect(lara.getByText('New password is too short').first()).toBeVisible();
    expect(lara.url(), 'the token does not stay in the address').not.toContain('resetToken');
    await lara.getByLabel('New password', { exact: true }).fill('kalabaw sa palayan');
    await lara.getByLabel('Repeat new password', { exact: true }).fill('kalabaw sa palayan');
    await lara.getByRole('button', { name: 'Save password' }).click();
    await expect(lara).toHaveURL('/login');
    await logIn(lara, 'Lara', 'kalabaw sa palayan');
    await expect(lara).toHaveURL('/');
    await expect(lara.getByRole('link', { name: 'Drivers Reset Password' })).toBeVisible();
    await expect(lara.getByRole('link', { name: 'User Reset Password' })).toHaveCount(0);

    await lara.goto(link);
    await expect(lara.getByText("This link doesn't work")).toBeVisible();

    await page.reload();
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
    await expect(page.getByText('lara disabled')).toBeVisible();
    await lara.goto('/deliveries');
    await expect(lara).toHaveURL('/login?redirectTo=/deliveries');
    await logIn(lara, 'lara', 'kalabaw sa palayan');
    await expect(lara.getByRole('main').getByRole('alert')).toContainText('Incorrect username or password');

    await page.goto('/admin/settings/users');
    await page.getByRole('link', { name: 'Audit log' }).click();
    await expect(page).toHaveURL('/admin/settings/audit');
    for (const act of ['Status changed', 'Password reset', 'Reset link created', 'User created']) {
      await expect(page.getByText(act, { exact: true }).first()).toBeVisible();
    }
    await lara.context().close();
  });

  test('finds a driver by name, who then sets a PIN of digits only', async ({ page, browser, baseURL }) => {
    const { username } = await driverAccount(page.context().request, 3);
    await page.goto('/driver-reset-password');
    const search = page.getByRole('search').getByLabel('Username');
    await expect(search).toBeVisible();
    await page.keyboard.press('/');
    await expect(search).toBeFocused();
    await page.keyboard.type(username);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/driver-reset-password\?filters=/);
    await page.getByRole('button', { name: `Create reset link for ${username}` }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByLabel('Reset link', { exact: true }).inputValue();

    const driver = await elsewhere(browser, baseURL);
    await driver.goto(link);
    const pin = driver.getByLabel('New PIN', { exact: true });
    await pin.pressSequentially('73a');
    await expect(driver.getByText('Digits only. Other characters were removed.').first()).toBeVisible();
    await pin.pressSequentially('-01 9846');
    await expect(pin).toHaveValue('73019846');
    await driver.getByLabel('Repeat new PIN', { exact: true }).pressSequentially('73019846');
    await driver.getByRole('button', { name: 'Save PIN' }).click();
    await expect(driver).toHaveURL('/login');
    // Drivers can sign in only in their app.
    await logIn(driver, username, '73019846');
    await expect(driver.getByRole('main').getByText('Incorrect username or password')).toBeVisible();
    const app = await driver.request.post('/driver/v1/login', { data: { username, pin: '73019846' } });
    expect(app.status()).toBe(200);
    await driver.context().close();
  });
});

test('one changes the own password, and every other browser is out', async ({ page, browser, baseURL }) => {
  const helper = await elsewhere(browser, baseURL);
  await signIn(helper.request);
  const { username, password } = await officeAccount(helper.request, 'tonet', ['viewer']);
  await helper.context().clearCookies();
  await logIn(helper, username, password);
  await expect(helper).toHaveURL('/');

  await logIn(page, username, password);
  await expect(page).toHaveURL('/');
  await page.goto('/account');
  await expect(page.getByText('This browser')).toBeVisible();
  await page.getByLabel('Current password', { exact: true }).fill('not the password');
  await page.getByLabel('New password', { exact: true }).fill('maliwanag ang buwan');
  await page.getByLabel('Repeat new password', { exact: true }).fill('maliwanag ang buwan');
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Errors prevented this form from being saved')).toBeVisible();
  await page.getByLabel('Current password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Password changed. 1 other session ended.')).toBeVisible();
  await helper.goto('/deliveries');
  await expect(helper).toHaveURL('/login?redirectTo=/deliveries');
  await page.goto('/deliveries');
  await expect(page).toHaveURL('/deliveries');
  await helper.context().close();
});

test('who forgot the password is not promised a mail that nobody sends', async ({ page }) => {
  await page.goto('/login');
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(
    page.getByText("Email isn't set up for this organization. Ask an administrator for a reset link."),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send link' })).toBeHidden();
});

for (const size of ['desktop', 'mobile'] as const) {
  const mobile = size === 'mobile';
  test.describe(`screens, ${size}`, () => {
    test.use({ viewport: SIZES[size], hasTouch: mobile, isMobile: mobile });

    test('of everybody', async ({ page }) => {
      await page.goto('/forgot-password');
      await expect(page.getByText("Email isn't set up for this organization.")).toBeVisible();
      await look(page, 'forgot-password', size);
      await page.goto('/admin/auth/register');
      await expect(page.getByText('Sign-up is off')).toBeVisible();
      await look(page, 'register-off', size);
    });

    test.describe('of an administrator', () => {
      test.use({ as: 'admin' });

      test('users and their links', async ({ page }) => {
        const { request } = page.context();
        const { id } = await officeAccount(request, `benjie-${size}`, ['dispatcher', 'transport_planner']);
        await page.goto('/admin/settings/users');
        await expect(page.getByText(`benjie-${size}`).first()).toBeVisible();
        await look(page, 'users', size);
        await page.goto(`/admin/settings/users/${id}`);
        await expect(page.getByText('Not signed in anywhere.')).toBeVisible();
        await look(page, 'user', size);
        await page.goto(`/admin/settings/users-role/${id}`);
        await expect(page.getByRole('checkbox', { name: /Dispatcher/ })).toBeChecked();
        await look(page, 'user-roles', size);
        await page.goto('/admin/settings/users/create-new-user');
        await page.getByRole('button', { name: 'Create user' }).click();
        await expect(page.getByText('Username is required').first()).toBeVisible();
        await look(page, 'user-new', size);
        await page.goto('/user-reset-password');
        await expect(page.getByText(`benjie-${size}`).first()).toBeVisible();
        await look(page, 'user-reset-password', size);
      });

      test('drivers, the audit log, the own account and a new password', async ({ page }) => {
        const { request } = page.context();
        await page.goto('/driver-reset-password');
        await expect(page.getByRole('button', { name: /^Create reset link/ }).first()).toBeVisible();
        await look(page, 'driver-reset-password', size);
        await page.goto('/admin/settings/audit');
        await expect(page.getByText('First administrator created').or(page.getByText('User created').first()).first()).toBeVisible();
        await look(page, 'audit', size);
        await page.goto('/account');
        await expect(page.getByText('This browser')).toBeVisible();
        await look(page, 'account', size);
        await page.getByRole('link', { name: 'Third-party notices' }).click();
        await expect(page.getByText(/^Third-party notices of Waybill/)).toBeVisible();
        await look(page, 'third-party-notices', size);
        const drivers = 'query { driverAccounts(page: { limit: 6 }) { id } }';
        const { driverAccounts } = await ask(request, drivers);
        await page.goto(await resetLink(request, driverAccounts[5].id));
        await expect(page.getByLabel('New PIN', { exact: true })).toBeVisible();
        await look(page, 'reset-pin', size);
      });
    });
  });
}
