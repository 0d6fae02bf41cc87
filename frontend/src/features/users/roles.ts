import { OFFICE_ROLES } from '@/auth/roles';

/** The heaviest first, so that an administrator is seen even where there is room for one role only. */
export function byWeight(roles: readonly string[]): string[] {
  const weight = (role: string) => (OFFICE_ROLES as readonly string[]).indexOf(role);
  return roles.toSorted((one, other) => weight(one) - weight(other));
}

export function sameRoles(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((role) => other.includes(role));
}
