const count = (total: number) => ({ __typename: 'Count', total, exact: true });

/** Response of a list with rows and a count. */
export function listOf(name: string, rows: readonly object[], total = rows.length) {
  return { data: { [name]: rows, [`${name}Count`]: count(total) } };
}

/** A user account with the fields that the lists and the user's page ask for. */
export function userAccount(username: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'User',
    id: `id-${username}`,
    username,
    displayName: null,
    email: `${username}@hlg.example`,
    roles: ['dispatcher'],
    status: 'active',
    lastLoginAt: '2026-11-20T05:15:00Z',
    createdAt: '2026-03-02T01:12:00Z',
    createdBy: 'rosa',
    updatedAt: '2026-10-30T09:12:00Z',
    updatedBy: 'dennis',
    version: 3,
    sessions: [],
    ...changes,
  };
}

export function accountSession(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'Session',
    id,
    address: '10.20.4.17',
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0 Safari/537.36',
    createdAt: '2026-11-20T00:02:00Z',
    lastUsedAt: '2026-11-20T05:15:00Z',
    expiresAt: '2026-11-20T12:02:00Z',
    isCurrent: false,
    ...changes,
  };
}

export function driverAccount(username: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'DriverAccount',
    id: `id-${username}`,
    username,
    displayName: null,
    driverId: 'DRV-014',
    status: 'active',
    lastLoginAt: null,
    ...changes,
  };
}

export function resetLink(changes: Record<string, unknown> = {}) {
  return {
    data: {
      createResetLink: {
        __typename: 'ResetLink',
        kind: 'password',
        path: '/reset-password?resetToken=t0ken',
        mailedTo: null,
        mailFailed: false,
        expiresAt: '2026-11-21T07:04:00Z',
        ...changes,
      },
    },
  };
}

export function auditEntry(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'AuditEntry',
    id,
    at: '2026-11-20T07:01:00Z',
    actor: 'rosa',
    address: '10.20.4.17',
    action: 'user.roles_changed',
    entity: 'user',
    entityId: 'id-lara',
    entityName: 'lara',
    before: { roles: ['viewer'] },
    after: { roles: ['viewer', 'dispatcher'] },
    requestId: 'r-1',
    ...changes,
  };
}

/** The server's error for a version conflict. */
export const versionConflict = {
  errors: [
    {
      message: 'Somebody else changed this account meanwhile.',
      extensions: { code: 'FAILED_PRECONDITION', reason: 'VERSION_CONFLICT' },
    },
  ],
};
