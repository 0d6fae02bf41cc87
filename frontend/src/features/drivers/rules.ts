import { INVALID_DATE } from '@/form/date-text';
import { EMAIL, limits } from '@/form/limits';
import { isDay } from '@/lib/dates';

const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** Text that is not only space. */
const said = { required: (text: string) => text.trim() !== '' };

/** What the server asks of the fields of a driver. */
export const driverRules = {
  driverId: {
    maxLength: limits.code,
    // The page of a driver of that name would be the one that makes a new driver.
    validate: { ...said, validate: (text: string) => text.trim().toLowerCase() !== 'new' },
  },
  name: { maxLength: limits.person, validate: said },
  username: { maxLength: limits.username, validate: said },
  phone: { maxLength: limits.phone },
  email: { maxLength: limits.email, pattern: EMAIL },
  trucker: { maxLength: limits.shortName },
  vehiclePlate: { maxLength: limits.vehiclePlate },
  licenceNumber: { maxLength: limits.licenceNumber },
  licenceExpiry: { validate: (text: string) => text === '' || isDay(text) || INVALID_DATE },
  language: { maxLength: limits.language, pattern: LANGUAGE },
} as const;
