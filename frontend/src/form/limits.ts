/**
 * The maximum lengths in characters, and the maximum numbers of items in a delivery and of recipients of a report. A test of the server checks that it
 * has the same limits.
 */
export const limits = {
  code: 64,
  name: 200,
  shortName: 100,
  note: 2000,
  phone: 40,
  email: 254,
  unit: 20,
  username: 64,
  person: 100,
  licenceNumber: 40,
  vehiclePlate: 20,
  language: 35,
  items: 5000,
  reportRecipients: 20,
} as const;

/** Rough check of an email address. The server is stricter and reports problems at the field. */
export const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Requires text that is not only white space. */
export const requiredText = { validate: { required: (text: string) => text.trim() !== '' } };
