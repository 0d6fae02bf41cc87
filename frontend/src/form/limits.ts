/**
 * The maximum lengths in characters, and the maximum numbers of items in a delivery, of recipients of a report, and of units in a range that is grouped by
 * time. A test of the server checks that it has the same limits.
 */
export const limits = {
  code: 64,
  name: 200,
  shortName: 100,
  note: 2000,
  address: 500,
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
  timeGroups: 50_000,
} as const;

/** Rough check of an email address. The server is stricter and reports problems at the field. */
export const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Returns the number of characters of a text as the server stores it: trimmed and composed. */
export function lengthOf(text: string): number {
  return Array.from(text.trim().normalize('NFC')).length;
}

/**
 * Returns the check that a text is not too long, by the name of its message. The length rule of React Hook Form counts
 * UTF-16 units of the text as typed, and the HTML attribute cuts what is pasted.
 */
export function atMost(most: number) {
  return { maxLength: (text: string) => lengthOf(text) <= most };
}

/** Returns the rules of a text that must not be empty or only white space. */
export function requiredText(most: number) {
  return { validate: { required: (text: string) => text.trim() !== '', ...atMost(most) } };
}
