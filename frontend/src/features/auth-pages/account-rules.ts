/** What the server asks of the fields of a new account; of its password see the rules for secrets. */
export const accountRules = {
  username: { required: true, maxLength: 64 },
  // Whoever types an address is not asked for more than the server asks for.
  email: { required: true, maxLength: 254, pattern: /^[^\s@]+@[^\s@]+\.[^\s@]+$/ },
} as const;
