// Whoever types an address is not asked for more than the server asks for.
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** What the server asks of the fields of an account. */
export const userRules = {
  username: { required: true, maxLength: 64 },
  displayName: { maxLength: 100 },
  email: { required: true, maxLength: 254, pattern: EMAIL },
} as const;
