import { EMAIL, limits } from '@/form/limits';

/** What the server asks of the fields of an account. */
export const userRules = {
  username: { required: true, maxLength: limits.username },
  displayName: { maxLength: limits.person },
  email: { required: true, maxLength: limits.email, pattern: EMAIL },
} as const;
