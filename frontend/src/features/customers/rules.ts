import { EMAIL, limits } from '@/form/limits';

/** What the server asks of the fields of a customer. */
export const customerRules = {
  customerEmail: { maxLength: limits.email, pattern: EMAIL },
  code: { maxLength: limits.code },
  phone: { maxLength: limits.phone },
} as const;
