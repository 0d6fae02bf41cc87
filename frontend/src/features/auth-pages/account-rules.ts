import { EMAIL, limits } from '@/form/limits';

/** What the server asks of the fields of a new account; of its password see the rules for secrets. */
export const accountRules = {
  username: { required: true, maxLength: limits.username },
  email: { required: true, maxLength: limits.email, pattern: EMAIL },
} as const;
