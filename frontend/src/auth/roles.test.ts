import { expect, it } from 'vitest';
import { holdsRole } from './roles';

it.each([
  [null, 'admin', false],
  [{}, 'admin', false],
  [{ roles: [] }, 'admin', false],
  [{ roles: 'admin' }, 'admin', true],
  [{ roles: 'admin' }, ['viewer', 'admin'], true],
  [{ roles: ['viewer'] }, 'viewer', true],
  [{ roles: ['viewer', 'admin'] }, ['dispatcher', 'admin'], true],
  [{ roles: ['viewer'] }, ['dispatcher', 'admin'], false],
  [{ roles: ['viewer'] }, [], false],
  [{ roles: 'administrator' }, 'admin', false],
])('%j holds any of %j: %s', (user, wanted, held) => {
  expect(holdsRole(user, wanted)).toBe(held);
});
