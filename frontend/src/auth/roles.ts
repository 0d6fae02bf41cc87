export type Role = 'admin' | 'transport_planner' | 'dispatcher' | 'viewer';

/** A role, or several roles of which one is enough. */
export type RoleCheck = Role | readonly Role[];

/** Roles with access to the main pages. */
export const OFFICE_ROLES: readonly Role[] = ['admin', 'transport_planner', 'dispatcher', 'viewer'];

/** Office roles that can change deliveries; viewers cannot. */
export const WRITE_ROLES: readonly Role[] = ['admin', 'transport_planner', 'dispatcher'];

/** Roles that can correct a delivery after its outcome. */
export const CORRECT_ROLES: readonly Role[] = ['admin', 'transport_planner'];

interface RoleHolder {
  roles?: string | readonly string[];
}

export function holdsRole(user: RoleHolder | null | undefined, wanted: string | readonly string[]) {
  if (!user?.roles) return false;
  const held = typeof user.roles === 'string' ? [user.roles] : user.roles;
  const any = typeof wanted === 'string' ? [wanted] : wanted;
  return any.some((role) => held.includes(role));
}
