import { expect, it } from 'vitest';
import type { RouteName } from '@/routing/route-paths';
import { navigationRecords } from './records';

/** Quick search keys from the specification. A screen of a single record searches the list of such records. */
const keys: Partial<Record<RouteName, [key: string, list: RouteName]>> = {
  deliveries: ['id', 'deliveries'],
  viewDelivery: ['id', 'deliveries'],
  viewDeliveryItem: ['id', 'deliveries'],
  forms: ['id', 'forms'],
  viewForm: ['id', 'forms'],
  drivers: ['name', 'drivers'],
  viewDriver: ['name', 'drivers'],
  driverTrackerList: ['name', 'driverTrackerList'],
  driverTracker: ['name', 'driverTrackerList'],
  driverResetPassword: ['username', 'driverResetPassword'],
  sources: ['name', 'sources'],
  viewSource: ['name', 'sources'],
  customers: ['customerName', 'customers'],
  viewCustomer: ['customerName', 'customers'],
  deliveryStatusHistories: ['deliveryId', 'deliveryStatusHistories'],
  driverLogs: ['deliveryId', 'driverLogs'],
  deadLetters: ['deliveryId', 'deadLetters'],
};

it.each(Object.entries(keys))('the quick search of %s looks into %j', (name, [key, route]) => {
  expect(navigationRecords[name as RouteName].quickSearch).toMatchObject({ key, route });
});

it('no other screen has a quick search', () => {
  const others = Object.values(navigationRecords).filter(({ name }) => !(name in keys));
  expect(others.filter(({ quickSearch }) => quickSearch).map(({ name }) => name)).toEqual([]);
});
