import { fromWallTime, toWallTime } from '@/lib/dates';
import type { Driver } from './queries';

/** The fields of the forms, named as the server names them when it refuses one. */
export interface DriverValues {
  /** Of a new driver only: it stays. */
  driverId: string;
  name: string;
  username: string;
  phone: string;
  email: string;
  trucker: string;
  vehiclePlate: string;
  licenceNumber: string;
  /** YYYY-MM-DD as far as it is typed. */
  licenceExpiry: string;
  language: string;
  /** YYYY-MM-DDTHH:mm on a clock of the organisation. */
  trackingConsentAt: string;
}

/** In the order on screen. */
export const DRIVER_FIELDS = [
  'driverId',
  'name',
  'username',
  'phone',
  'email',
  'trucker',
  'vehiclePlate',
  'licenceNumber',
  'licenceExpiry',
  'language',
  'trackingConsentAt',
] as const satisfies readonly (keyof DriverValues)[];

export const NEW_DRIVER: DriverValues = {
  driverId: '',
  name: '',
  username: '',
  phone: '',
  email: '',
  trucker: '',
  vehiclePlate: '',
  licenceNumber: '',
  licenceExpiry: '',
  language: '',
  trackingConsentAt: '',
};

export function driverValues(driver: Driver, timeZone: string): DriverValues {
  return {
    driverId: driver.driverId,
    name: driver.name,
    username: driver.username,
    phone: driver.phone ?? '',
    email: driver.email ?? '',
    trucker: driver.trucker ?? '',
    vehiclePlate: driver.vehiclePlate ?? '',
    licenceNumber: driver.licenceNumber ?? '',
    licenceExpiry: driver.licenceExpiry ?? '',
    language: driver.language ?? '',
    trackingConsentAt: driver.trackingConsentAt
      ? toWallTime(driver.trackingConsentAt, timeZone)
      : '',
  };
}

/** All of the form, as what is left out is taken away. `consentBefore` is what was read. */
export function driverInput(values: DriverValues, timeZone: string, consentBefore?: string | null) {
  const text = (box: string) => box.trim() || null;
  const { trackingConsentAt: consent } = values;
  // An untouched time is sent as it was: the boxes know no seconds.
  const isUntouched = consentBefore && toWallTime(consentBefore, timeZone) === consent;
  return {
    driverId: values.driverId.trim(),
    name: values.name.trim(),
    username: values.username.trim(),
    phone: text(values.phone),
    email: text(values.email),
    trucker: text(values.trucker),
    vehiclePlate: text(values.vehiclePlate),
    licenceNumber: text(values.licenceNumber),
    licenceExpiry: text(values.licenceExpiry),
    language: text(values.language),
    trackingConsentAt: isUntouched ? consentBefore : (fromWallTime(consent, timeZone) ?? null),
  };
}
