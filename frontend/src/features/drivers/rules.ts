import { INVALID_DATE } from '@/form/date-text';
import { isDay } from '@/lib/dates';

// Whoever types an address is not asked for more than the server asks for.
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** Text that is not only space. */
const said = { required: (text: string) => text.trim() !== '' };

/** What the server asks of the fields of a driver. */
export const driverRules = {
  driverId: {
    maxLength: 64,
    // The page of a driver of that name would be the one that makes a new driver.
    validate: { ...said, validate: (text: string) => text.trim().toLowerCase() !== 'new' },
  },
  name: { maxLength: 100, validate: said },
  username: { maxLength: 64, validate: said },
  phone: { maxLength: 40 },
  email: { maxLength: 254, pattern: EMAIL },
  trucker: { maxLength: 200 },
  vehiclePlate: { maxLength: 20 },
  licenceNumber: { maxLength: 40 },
  licenceExpiry: { validate: (text: string) => text === '' || isDay(text) || INVALID_DATE },
  language: { maxLength: 35, pattern: LANGUAGE },
} as const;
