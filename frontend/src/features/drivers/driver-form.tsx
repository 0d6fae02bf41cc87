import { truckerLookup } from '@/domain/lookups/lookups';
import { defineForm, newOnly } from '@/form/define-form';
import { lookup, optionalDate, optionalDateTime, text } from '@/form/kinds';
import { EMAIL, limits } from '@/form/limits';

const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** Declares the fields of a driver. */
export const driverForm = defineForm({
  labels: 'drivers:fields',
  className: 'max-w-[720px]',
  wide: true,
  fields: {
    driverId: newOnly(
      text({
        hint: 'drivers:hints.driverId',
        verbatim: true,
        maxLength: limits.code,
        // `/drivers/new` is the page that creates a driver, so `new` cannot be an id.
        validate: { validate: (id) => id.trim().toLowerCase() !== 'new' },
      }),
    ),
    name: text({ maxLength: limits.person }),
    username: text({ hint: 'drivers:hints.username', verbatim: true, maxLength: limits.username }),
    phone: text({ type: 'tel', maxLength: limits.phone, optional: true }),
    email: text({
      type: 'email',
      verbatim: true,
      maxLength: limits.email,
      pattern: EMAIL,
      optional: true,
    }),
    trucker: lookup({ lookup: truckerLookup, maxLength: limits.shortName, optional: true }),
    vehiclePlate: text({ verbatim: true, maxLength: limits.vehiclePlate, optional: true }),
    licenceNumber: text({ verbatim: true, maxLength: limits.licenceNumber, optional: true }),
    licenceExpiry: optionalDate(),
    language: text({
      hint: 'drivers:hints.language',
      verbatim: true,
      maxLength: limits.language,
      pattern: LANGUAGE,
      optional: true,
    }),
    trackingConsentAt: optionalDateTime({ hint: 'drivers:hints.trackingConsentAt' }),
  },
});
