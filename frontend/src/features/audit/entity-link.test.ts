import { expect, it } from 'vitest';
import { entityLink } from './entity-link';

const nothing = { before: null, after: null };

it.each([
  ['user.updated', 'user', 'u1', '/admin/settings/users/u1'],
  ['driver.blocked', 'driver', 'DRV/1', '/drivers/DRV%2F1'],
  ['driver_location.viewed', 'driver', 'DRV-1', '/drivers/DRV-1'],
  ['proof.viewed', 'delivery', 'D-1', '/view-delivery/D-1'],
  ['setting.updated', 'setting', 'delivery-proof', '/admin/settings/system-settings/delivery-proof'],
  ['logo.updated', 'logo', 'customer-logo-information', '/admin/settings/edit-logo'],
  ['announcement.updated', 'announcement', 'a1', '/admin/announcements/a1'],
  ['report_setting.created', 'report_setting', 'r1', '/admin/settings/report/r1'],
])('%s leads to the page of its %s', (action, entity, entityId, link) => {
  expect(entityLink({ action, entity, entityId, ...nothing })).toBe(link);
});

it('leads from a device to its driver', () => {
  const device = { entity: 'device', entityId: 'Phone-7' };
  const driver = { driverId: 'DRV-1' };
  const paired = { ...device, action: 'device.paired', before: null, after: driver };
  const unpaired = { ...device, action: 'device.unpaired', before: driver, after: null };
  expect(entityLink(paired)).toBe('/drivers/DRV-1');
  expect(entityLink(unpaired)).toBe('/drivers/DRV-1');
  expect(entityLink({ ...device, action: 'device.paired', ...nothing })).toBeUndefined();
});

it.each([
  ['announcement.deleted', 'announcement', 'a1'],
  ['driver_location.viewed', 'driver', ''],
  ['deliveries.exported', 'delivery', ''],
  ['session.ended', 'session', 's1'],
  ['driver_account.created', 'driver_account', 'u2'],
  ['moon.landed', 'moon', 'm1'],
])('%s of a %s %s leads nowhere', (action, entity, entityId) => {
  expect(entityLink({ action, entity, entityId, ...nothing })).toBeUndefined();
});
