// Creates accounts of every kind with the requests that the screens send.
import type { APIRequestContext } from '@playwright/test';
import { noteIn } from '../../contract/secrets.mjs';
import { ask, signIn } from './api.ts';

export const ROLES = ['admin', 'transport_planner', 'dispatcher', 'viewer', 'no_role'] as const;
export type Holder = (typeof ROLES)[number];

export interface Account {
  username: string;
  password: string;
}

const CREATE = 'mutation Create($input: CreateUserInput!) { createUser(input: $input) { id } }';
const LINK = 'mutation Link($input: CreateResetLinkInput!) { createResetLink(input: $input) { path kind } }';
const DRIVERS = 'query Drivers($page: PageOptions) { driverAccounts(page: $page) { id username } }';

/** Sets a password with a reset link. */
export async function redeem(request: APIRequestContext, path: string, password: string) {
  const resetToken = new URL(path, 'http://waybill').searchParams.get('resetToken');
  const data = { method: 'resetPassword', resetToken, password };
  noteIn(data);
  const answer = await request.post('/auth', { data });
  if (!answer.ok()) throw new Error(`the link was refused: ${await answer.text()}`);
}

/** Returns a reset link for an account. `request` belongs to a signed-in administrator. */
export async function resetLink(request: APIRequestContext, userId: string): Promise<string> {
  const { createResetLink } = await ask(request, LINK, { input: { userId } });
  return createResetLink.path;
}

/** Creates an office user who can sign in. `request` belongs to an administrator. */
export async function officeAccount(
  request: APIRequestContext,
  username: string,
  roles: readonly string[],
): Promise<Account & { id: string }> {
  const password = `tuyo-at-kape-sa-${username.length}-ng-umaga`;
  const input = { username, email: `${username}@habagat.example`, roles };
  const { createUser } = await ask(request, CREATE, { input });
  await redeem(request, await resetLink(request, createUser.id), password);
  return { id: createUser.id, username, password };
}

/** Returns a driver of the demo data who can sign in to the driver API. The password is a PIN. */
export async function driverAccount(request: APIRequestContext, at = 0): Promise<Account> {
  const { driverAccounts } = await ask(request, DRIVERS, { page: { limit: at + 1 } });
  const { id, username } = driverAccounts[at];
  const password = '480159';
  await redeem(request, await resetLink(request, id), password);
  return { username, password };
}

/** Creates an account for each role, and one without a role. */
export async function oneOfEach(request: APIRequestContext, prefix: string): Promise<Record<Holder, Account>> {
  await signIn(request);
  const office = (role: Holder) => officeAccount(request, `${prefix}-${role}`, role === 'no_role' ? [] : [role]);
  return {
    admin: await office('admin'),
    transport_planner: await office('transport_planner'),
    dispatcher: await office('dispatcher'),
    viewer: await office('viewer'),
    no_role: await office('no_role'),
  };
}
