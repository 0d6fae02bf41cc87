import { describe, expect, it } from 'vitest';
import { holdsRole, type RoleCheck } from '@/auth/roles';
import { type DrawerGroup, drawerGroups, isGroupShown, visibleGroups } from './drawer-links';

function holderOf(...roles: string[]) {
  return (wanted: RoleCheck) => holdsRole({ roles }, wanted);
}

function group(...roles: (RoleCheck | undefined)[]): DrawerGroup {
  const icon = drawerGroups[0]?.links[0]?.icon;
  if (!icon) throw new Error('The drawer has no links');
  return {
    name: 'group',
    label: 'navigation:groups.main',
    links: roles.map((role, index) => ({
      name: `link${index}`,
      label: 'navigation:links.dashboard',
      route: `route${index}`,
      icon,
      ...(role && { roles: role }),
    })),
  };
}

describe('a group shows', () => {
  it.each([
    { links: [undefined], roles: [], shown: true },
    { links: [undefined, 'admin'], roles: [], shown: true },
    { links: ['admin'], roles: [], shown: false },
    { links: ['admin'], roles: ['admin'], shown: true },
    { links: ['admin'], roles: ['dispatcher'], shown: false },
    { links: ['admin', 'transport_planner'], roles: ['admin'], shown: false },
    { links: ['admin', 'transport_planner'], roles: ['transport_planner'], shown: false },
    { links: ['admin', 'transport_planner'], roles: ['admin', 'transport_planner'], shown: true },
  ] as const)('$shown for links $links and roles $roles', ({ links, roles, shown }) => {
    expect(isGroupShown(group(...links), holderOf(...roles))).toBe(shown);
  });
});

describe('the links of the spec', () => {
  const everything = () => true;
  const namesFor = (...roles: string[]) =>
    Object.fromEntries(
      visibleGroups(holderOf(...roles), drawerGroups, everything).map(({ name, links }) => [
        name,
        links.map((link) => link.name),
      ]),
    );
  const main = [
    'dashboard',
    'import',
    'reports',
    'forms',
    'drivers',
    'driverTracker',
    'driversResetPassword',
    'userResetPassword',
    'deliveryStatusHistory',
    'driverLog',
  ];

  it('are all there for an administrator but the planner settings', () => {
    expect(namesFor('admin')).toEqual({
      main,
      admin: ['deliveries', 'sources', 'customers', 'queryLab'],
      general: ['settings', 'announcements'],
    });
  });

  it('leave out what a dispatcher may not open', () => {
    expect(namesFor('dispatcher')).toEqual({
      main: main.filter((name) => name !== 'userResetPassword'),
      admin: ['deliveries', 'sources', 'customers'],
    });
  });

  it('add the planner settings for a planner', () => {
    expect(namesFor('transport_planner').admin).toEqual([
      'deliveries',
      'sources',
      'customers',
      'plannerSettings',
    ]);
  });
});

const routesFor = (...roles: string[]) =>
  visibleGroups(holderOf(...roles)).map(({ links }) => links.map(({ route }) => route));

it('hides links without a screen, and groups without links', () => {
  expect(routesFor('admin')).toEqual([
    [
      'dashboard',
      'uploadDeliveries',
      'report',
      'forms',
      'drivers',
      'driverTrackerList',
      'driverResetPassword',
      'userResetPassword',
      'deliveryStatusHistories',
      'driverLogs',
    ],
    ['deliveries', 'sources', 'customers', 'queryLab'],
    ['adminUsers', 'announcements'],
  ]);
  expect(routesFor('dispatcher')).toEqual([
    [
      'dashboard',
      'uploadDeliveries',
      'report',
      'forms',
      'drivers',
      'driverTrackerList',
      'driverResetPassword',
      'deliveryStatusHistories',
      'driverLogs',
    ],
    ['deliveries', 'sources', 'customers'],
  ]);
});

it('leads a planner to the planner settings, and nobody else', () => {
  const adminGroup = (role: string) => routesFor(role)[1];
  expect(adminGroup('transport_planner')).toContain('systemSettings');
  for (const role of ['admin', 'dispatcher', 'viewer']) {
    expect(adminGroup(role)).not.toContain('systemSettings');
  }
});

it('hides links that would end on the forbidden page', () => {
  expect(routesFor('viewer')).toEqual([
    ['dashboard', 'report', 'forms', 'drivers', 'driverTrackerList', 'deliveryStatusHistories', 'driverLogs'],
    ['deliveries', 'sources', 'customers'],
  ]);
  expect(routesFor()).toEqual([]);
});
