import { encodeFilters, type Filter } from '@/list/filters-codec';
import { routes } from '@/routing/routes';

/** What still has to reach somebody: never tried, or tried and to be tried again. */
const OPEN_STATUSES = ['Pending', 'Undelivered'] as const;

const is = (key: string, ...values: string[]): Filter => ({
  key,
  operator: 'equals',
  values: values.map((value) => ({ label: value, value })),
});

/** The filters of the deliveries of a driver: those still open, or those dispatched today. */
export function deliveriesOf(driverId: string, which: 'open' | 'today'): Filter[] {
  const own = is('driverId', driverId);
  if (which === 'open') return [own, is('deliverystatus', ...OPEN_STATUSES)];
  const today = { label: 'Today', value: 'today' };
  return [own, { key: 'scheduledatetime', operator: 'inDateRange', values: [today] }];
}

export function deliveriesAddress(driverId: string, which: 'open' | 'today'): string {
  return routes.deliveries({ filters: encodeFilters(deliveriesOf(driverId, which)) });
}

export function logsAddress({ driverId, name }: { driverId: string; name: string }): string {
  const own: Filter = {
    ...is('driverId', driverId),
    values: [{ label: `${name} (${driverId})`, value: driverId }],
  };
  return routes.driverLogs({ filters: encodeFilters([own]) });
}

/** Where a one-time link for a new PIN is made. */
export function resetPinAddress(username: string): string {
  return routes.driverResetPassword({ filters: encodeFilters([is('username', username)]) });
}
