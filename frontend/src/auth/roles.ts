export type Role = 'admin' | 'transport_planner' | 'dispatcher' | 'viewer';

/** One role, or several of which any will do. */
export type RoleCheck = Role | readonly Role[];

/** The allowed roles of the main pages. */
export const OFFICE_ROLES: readonly Role[] = ['admin', 'transport_planner', 'dispatcher', 'viewer'];

/** The office roles that may change deliveries; a viewer only reads. */
export const WRITE_ROLES: readonly Role[] = ['admin', 'transport_planner', 'dispatcher'];

/** The roles that may correct a delivery after its outcome. */
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
