// Every role against every route: where the specification says it ends.
import { routePaths, type RouteName } from '../../frontend/src/routing/route-paths.ts';
import { type Account, type Holder, ROLES, oneOfEach } from '../support/accounts.ts';
import { signIn } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { withoutWebgl } from '../support/screens.ts';

const OFFICE: readonly Holder[] = ['admin', 'transport_planner', 'dispatcher', 'viewer'];
const WRITERS: readonly Holder[] = ['admin', 'transport_planner', 'dispatcher'];
const PLANNER: readonly Holder[] = ['transport_planner'];
const ADMIN: readonly Holder[] = ['admin'];

interface Row {
  /** Who gets in; everybody, also without a session, when it is not said. */
  holders?: readonly Holder[];
  /** What stands in the place of the path's parameters. */
  at?: string;
}

/** A route without a row does not compile. */
const TABLE: Record<RouteName, Row> = {
  login: {},
  createAdmin: {},
  health: {},
  forgotPassword: {},
  resetPassword: {},
  register: {},
  forbidden: { holders: ROLES },
  account: { holders: ROLES },
  deliveries: { holders: OFFICE },
  viewDelivery: { holders: OFFICE, at: '/view-delivery/no-such-doc' },
  viewDeliveryItem: { holders: OFFICE, at: '/view-delivery-item/no-such-doc/1' },
  editDelivery: { holders: WRITERS, at: '/edit-delivery/no-such-doc' },
  editDeliveryItem: { holders: WRITERS, at: '/edit-delivery/no-such-doc/edit-delivery-item/1' },
  newDelivery: { holders: WRITERS },
  newDeliveryItem: { holders: WRITERS },
  forms: { holders: OFFICE },
  viewForm: { holders: OFFICE, at: '/forms/no-such-doc' },
  deliveryStatusHistories: { holders: OFFICE },
  customers: { holders: OFFICE },
  viewCustomer: { holders: OFFICE, at: '/customer/nobody' },
  editCustomer: { holders: WRITERS, at: '/edit-customer/nobody' },
  sources: { holders: OFFICE },
  viewSource: { holders: OFFICE, at: '/source/no-such-source' },
  editSource: { holders: WRITERS, at: '/edit-source/no-such-source' },
  newSource: { holders: WRITERS },
  uploadDeliveries: { holders: WRITERS },
  uploadedDetails: { holders: OFFICE, at: '/uploaded-details/no-such-log' },
  drivers: { holders: OFFICE },
  newDriver: { holders: WRITERS },
  viewDriver: { holders: OFFICE, at: '/drivers/nobody' },
  editDriver: { holders: WRITERS, at: '/drivers/nobody/edit' },
  driverTrackerList: { holders: OFFICE },
  driverTracker: { holders: OFFICE, at: '/driver-tracker/nobody' },
  driverLogs: { holders: OFFICE },
  viewDriverActivityLog: { holders: OFFICE, at: '/view-driver-activity-log/no-such-entry' },
  driverResetPassword: { holders: WRITERS },
  systemSettings: { holders: PLANNER },
  systemSetting: { holders: PLANNER, at: '/system-settings/no-such-setting' },
  userResetPassword: { holders: ADMIN },
  adminUsers: { holders: ADMIN },
  newUser: { holders: ADMIN },
  viewUser: { holders: ADMIN, at: '/admin/settings/users/no-such-user' },
  editUserRoles: { holders: ADMIN, at: '/admin/settings/users-role/no-such-user' },
  auditEntries: { holders: ADMIN },
  adminSystemSettings: { holders: ADMIN },
  adminSystemSetting: { holders: ADMIN, at: '/admin/settings/system-settings/no-such-setting' },
  editLogo: { holders: ADMIN },
  reportSettings: { holders: ADMIN },
  reportSetting: { holders: ADMIN, at: '/admin/settings/report/no-such-report' },
  announcements: { holders: ADMIN },
  newAnnouncement: { holders: ADMIN },
  viewAnnouncement: { holders: ADMIN, at: '/admin/announcements/no-such-announcement' },
  editAnnouncement: { holders: ADMIN, at: '/admin/announcements/no-such-announcement/edit' },
};
const ROUTES = Object.entries(TABLE) as [RouteName, Row][];

/** Signing in again is offered to nobody who is signed in. */
const LEFT_BY_THE_SIGNED_IN: readonly RouteName[] = ['login', 'createAdmin'];

let accounts: Record<Holder, Account>;

// A failure starts another worker, which needs other names.
test.beforeAll(async ({ playwright }, { workerIndex }) => {
  const request = await playwright.request.newContext({ baseURL: process.env.WAYBILL_URL! });
  accounts = await oneOfEach(request, `roles-${workerIndex}`);
  await request.dispose();
});

test('nobody gets to the public routes and to the sign-in', async ({ page }) => {
  for (const [name, { holders, at }] of ROUTES) {
    const path = at ?? routePaths[name];
    await page.goto(path);
    await expect.soft(page.getByRole('heading', { level: 1 }), name).toBeVisible();
    await expect.soft(page, name).toHaveURL(holders ? `/login?redirectTo=${path}` : path);
  }
});

for (const role of ROLES) {
  test(`${role} gets where the role allows and nowhere else`, async ({ page, context }) => {
    // Every screen, one after the other.
    test.setTimeout(120_000);
    // A map takes minutes to draw without a graphics card; its table says as much here.
    await withoutWebgl(page);
    await signIn(context.request, accounts[role]);
    for (const [name, { holders, at }] of ROUTES) {
      if (LEFT_BY_THE_SIGNED_IN.includes(name)) continue;
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
