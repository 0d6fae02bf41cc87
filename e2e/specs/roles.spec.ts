// Every role against one route of each guard: where the specification says it ends. Every role against
// every route is the table in frontend/src/app/access.test.tsx, which renders the app's own routes.
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
  /** Who gets in; everybody, also without a session, when it is not said. */
  holders?: readonly Holder[];
  /** What stands in the place of the path's parameters. */
  at?: string;
}

/** For each set of holders a screen, one with parameters in its address, and one in the frame of the settings. */
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

// A failure starts another worker, which needs other names.
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
      // Signing in again is offered to nobody who is signed in; `access.spec.ts` has where they end.
      if (name === 'login') continue;
      const path = at ?? routePaths[name];
      const allowed = !holders || holders.includes(role);
      await page.goto(path);
      const target = allowed ? path : `/forbidden?redirectTo=${path}`;
      // What is refused shows no heading before it is left: once there is one, the address is the last.
      await expect.soft(page.getByRole('heading', { level: 1 }), name).toBeVisible();
      await expect.soft(page, `${role} at ${name}`).toHaveURL(target);
    }
  });
}
