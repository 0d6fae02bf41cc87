import { defineResource } from '@/list/resource';
import { columns } from './columns';
import { usersResource } from './resource';

const shown = ['username', 'displayName', 'email', 'status', 'lastLoginAt'];

/** The same accounts, with what tells them apart and no more. */
export const resetPasswordResource = defineResource({
  ...usersResource,
  name: 'user-reset-password',
  columns: columns.filter(({ id }) => shown.includes(id)),
  views: [],
});
