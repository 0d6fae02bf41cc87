// Whoever types an address is not asked for more than the server asks for.
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** What the server asks of the fields of a customer. */
export const customerRules = {
  customerEmail: { maxLength: 254, pattern: EMAIL },
  code: { maxLength: 64 },
  phone: { maxLength: 40 },
} as const;
