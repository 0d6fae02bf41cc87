// Opens some routes of each guard with every role, and expects the address that the specification names.
// frontend/src/app/access.test.tsx tries every role on every route, without a browser.
import { routePaths, type RouteName } from '../../frontend/src/routing/route-paths.ts';
import { type Account, type Holder, ROLES, oneOfEach } from '../support/accounts.ts';
import { signIn } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';

const OFFICE: readonly Holder[] = ['admin', 'transport_planner', 'dispatcher', 'viewer'];
const WRITERS: readonly Holder[] = ['admin', 'transport_planner', 'dispatcher'];
const PLANNER: readonly Holder[] = ['transport_planner'];
const ADMIN: readonly Holder[] = ['admin'];

interface Guarded {
  name: RouteName;
  /** Who has access. If undefined, everybody has access, even without a session. */
  holders?: readonly Holder[];
  /** The address to open, if the route's path has parameters. */
  at?: string;
}

/**
 * For each set of roles: a screen, and, if the set has them, a screen with parameters in its address and a screen
 * of the settings.
 */
const GUARDS: readonly Guarded[] = [
  { name: 'login' },
  { name: 'forgotPassword' },
  { name: 'account', holders: ROLES },
  { name: 'deliveries', holders: OFFICE },
  { name: 'dashboard', holders: OFFICE },
  { name: 'queryLab', holders: ADMIN },
  { name: 'viewDelivery', holders: OFFICE, at: '/view-delivery/no-such-doc' },
  { name: 'newDelivery', holders: WRITERS },
  { name: 'editDelivery', holders: WRITERS, at: '/edit-delivery/no-such-doc' },
  { name: 'systemSettings', holders: PLANNER },
  { name: 'systemSetting', holders: PLANNER, at: '/system-settings/no-such-setting' },
  { name: 'announcements', holders: ADMIN },
  { name: 'viewAnnouncement', holders: ADMIN, at: '/admin/announcements/no-such-announcement' },
  { name: 'adminUsers', holders: ADMIN },
  { name: 'viewUser', holders: ADMIN, at: '/admin/settings/users/no-such-user' },
];

let accounts: Record<Holder, Account>;

// After a failure, another worker starts, which needs other usernames.
test.beforeAll(async ({ playwright }, { workerIndex }) => {
  const request = await playwright.request.newContext({ baseURL: process.env.WAYBILL_URL! });
  accounts = await oneOfEach(request, `roles-${workerIndex}`);
  await request.dispose();
});

test('nobody gets to the public routes and to the sign-in', async ({ page }) => {
  for (const { name, holders, at } of GUARDS) {
    const path = at ?? routePaths[name];
    await page.goto(path);
    await expect.soft(page.getByRole('heading', { level: 1 }), name).toBeVisible();
    await expect.soft(page, name).toHaveURL(holders ? `/login?redirectTo=${path}` : path);
  }
});

for (const role of ROLES) {
  test(`${role} gets where the role allows and nowhere else`, async ({ page, context }) => {
    await signIn(context.request, accounts[role]);
    for (const { name, holders, at } of GUARDS) {
      // The login page redirects people who are signed in, which `access.spec.ts` tests.
      if (name === 'login') continue;
      const path = at ?? routePaths[name];
      const allowed = !holders || holders.includes(role);
      await page.goto(path);
      const target = allowed ? path : `/forbidden?redirectTo=${path}`;
      // A refused page shows no heading before the redirect. So once there is a heading, the address is
      // final.
      await expect.soft(page.getByRole('heading', { level: 1 }), name).toBeVisible();
      await expect.soft(page, `${role} at ${name}`).toHaveURL(target);
    }
  });
}
