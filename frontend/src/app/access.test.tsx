import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { flattenRoutes, isPrivateSet, type RouteEntry } from '@/routing/declarations';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { declarations } from './declarations';

vi.mock('@/shell/shell', () => ({ Shell: ({ children }: { children: React.ReactNode }) => children }));

const people = {
  admin: ['admin'],
  transport_planner: ['transport_planner'],
  dispatcher: ['dispatcher'],
  viewer: ['viewer'],
  driver: ['driver'],
  'no role': [],
  anonymous: null,
} as const;
type Person = keyof typeof people;

const everyone = Object.keys(people) as Person[];
const signedIn = everyone.filter((person) => person !== 'anonymous');
const office: Person[] = ['admin', 'transport_planner', 'dispatcher', 'viewer'];
const writers: Person[] = ['admin', 'transport_planner', 'dispatcher'];
const admins: Person[] = ['admin'];

/** Users with access to each route. All others get the login or the forbidden page. */
const mayOpen: Record<string, readonly Person[]> = {
  '/login': everyone,
  '/auth/create-admin': everyone,
  '/forgot-password': everyone,
  '/reset-password': everyone,
  '/admin/auth/register': everyone,
  '/health': everyone,
  '*': everyone,
  '/forbidden': signedIn,
  '/account': signedIn,
  '/third-party-notices': signedIn,
  '/': office,
  '/report': office,
  '/query-lab': admins,
  '/deliveries': office,
  '/view-delivery/{deliveryId}': office,
  '/edit-delivery/{deliveryId}': writers,
  '/edit-delivery/{deliveryId}/edit-delivery-item/{itemNumber}': writers,
  '/view-delivery-item/{deliveryId}/{itemNumber}': office,
  '/new-deliveries': writers,
  '/new-deliveries/add-delivery-item': writers,
  '/forms': office,
  '/forms/{deliveryId}': office,
  '/delivery-status-histories': office,
  '/customers': office,
  '/customer/{customerName}': office,
  '/edit-customer/{customerName}': writers,
  '/sources': office,
  '/source/{sourceId}': office,
  '/edit-source/{sourceId}': writers,
  '/new-source': writers,
  '/upload-deliveries': writers,
  '/uploaded-details/{uploadLog}': office,
  '/drivers': office,
  '/drivers/new': writers,
  '/drivers/{driverId}': office,
  '/drivers/{driverId}/edit': writers,
  '/driver-tracker-list': office,
  '/driver-tracker/{driverId}': office,
  '/driver-reset-password': writers,
  '/driver-logs': office,
  '/view-driver-activity-log/{id}': office,
  '/system-settings': ['transport_planner'],
  '/system-settings/{settingsId}': ['transport_planner'],
  '/user-reset-password': admins,
  '/admin/settings/users': admins,
  '/admin/settings/users/create-new-user': admins,
  '/admin/settings/users/{id}': admins,
  '/admin/settings/users-role/{id}': admins,
  '/admin/settings/audit': admins,
  '/admin/settings/system-settings': admins,
  '/admin/settings/system-settings/{settingsId}': admins,
  '/admin/settings/dead-letters': admins,
  '/admin/settings/dead-letter/{id}': admins,
  '/admin/settings/edit-logo': admins,
  '/admin/settings/reports': admins,
  '/admin/settings/report/{id}': admins,
  '/admin/announcements': admins,
  '/admin/announcements/new': admins,
  '/admin/announcements/{id}': admins,
  '/admin/announcements/{id}/edit': admins,
};

/** Returns the same routes and guards with placeholder pages. */
function withPlainPages(entries: readonly RouteEntry[]): RouteEntry[] {
  return entries.map((entry): RouteEntry => {
    if (isPrivateSet(entry)) return { ...entry, routes: withPlainPages(entry.routes) };
    if ('redirect' in entry) return entry;
    const text = 'notFound' in entry ? 'page of *' : `page of ${entry.path}`;
    return { ...entry, page: () => Promise.resolve({ default: () => <h1>{text}</h1> }) };
  });
}

const routes = withPlainPages(declarations);
const paths = flattenRoutes(declarations).map((route) => ('notFound' in route ? '*' : route.path));

function addressOf(path: string): string {
  return path === '*' ? '/no/such/page' : path.replaceAll(/\{.*?\}/g, 'x1');
}

function endOf(path: string, person: Person): { address: string; page: string } {
  const address = addressOf(path);
  if (mayOpen[path]?.includes(person)) return { address, page: path };
  if (person === 'anonymous') return { address: `/login?redirectTo=${address}`, page: '/login' };
  return { address: `/forbidden?redirectTo=${address}`, page: '/forbidden' };
}

it('has a row for every declared route, and no other', () => {
  expect(Object.keys(mayOpen).toSorted()).toEqual(paths.toSorted());
});

describe.each(everyone)('%s', (person) => {
  it.each(paths)('at %s', async (path) => {
    const roles = people[person];
    startFakeServer({ user: roles && { ...rosa, roles } });
    const { address } = renderRoutes(routes, addressOf(path));
    const end = endOf(path, person);
    await screen.findByRole('heading', { name: `page of ${end.page}` });
    await waitFor(() => expect(address()).toBe(end.address));
  });
});
