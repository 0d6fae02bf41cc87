import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { routePaths } from '@/routing/route-paths';
import { expectAccessible } from '@/test/axe';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { settingsGroups, visibleGroups } from './drawer-links';
import { SettingsFrame } from './settings-frame';

const admin = () => true;

it('knows the links of the specification, and shows those with a screen', () => {
  const names = (groups: ReturnType<typeof visibleGroups>) =>
    Object.fromEntries(groups.map(({ name, links }) => [name, links.map((link) => link.name)]));
  expect(names(visibleGroups(admin, settingsGroups, () => true))).toEqual({
    permissions: ['users', 'system', 'report'],
    actions: ['deadLetters', 'editLogo'],
  });
  expect(names(visibleGroups(admin, settingsGroups, (route) => route !== 'deadLetters'))).toEqual({
    permissions: ['users', 'system', 'report'],
    actions: ['editLogo'],
  });
});

async function open(address: string, groups?: ReturnType<typeof visibleGroups>) {
  startFakeServer({ user: rosa });
  const page = () =>
    Promise.resolve({
      default: () => (
        <SettingsFrame {...(groups && { groups })}>
          <h1>Content</h1>
        </SettingsFrame>
      ),
    });
  renderRoutes([{ name: 'viewUser', path: routePaths.viewUser, page }], address);
  await screen.findByRole('heading', { name: 'Content' });
  return screen.getAllByRole('navigation', { name: /^Settings/ });
}

it('marks the link that the open page lies below', async () => {
  const [menu, ...others] = await open('/admin/settings/users/u1');
  if (!menu) throw new Error('no menu');
  expect(within(menu).getByRole('heading', { name: 'Permissions' })).toBeInTheDocument();
  expect(within(menu).getByRole('link', { name: 'Users' })).toHaveAttribute('aria-current', 'true');
  expect(others).toHaveLength(1);
  await expectAccessible();
});

it('has no tabs where a single one would lead nowhere else', async () => {
  const groups = visibleGroups(admin, settingsGroups, (route) => route === 'adminUsers');
  expect(await open('/admin/settings/users/u1', groups)).toHaveLength(1);
});

it('is 64 units wide', async () => {
  const [menu] = await open('/admin/settings/users/u1');
  expect(menu).toHaveClass('w-64');
});

it('becomes tabs on a narrow screen once there are several', async () => {
  const [permissions] = visibleGroups(admin, settingsGroups);
  const [users] = permissions?.links ?? [];
  if (!permissions || !users) throw new Error('no links');
  const second = { ...users, name: 'editLogo' as const, label: 'navigation:settingsLinks.editLogo' as const, route: 'auditEntries' as const };
  const [, tabs] = await open('/admin/settings/users/u1', [
    { ...permissions, links: [users, second] },
  ]);
  if (!tabs) throw new Error('no tabs');
  expect(within(tabs).getByRole('link', { current: 'page' })).toHaveTextContent('Users');
  expect(within(tabs).getByRole('link', { name: 'Edit Logo' })).toHaveAttribute(
    'href',
    '/admin/settings/audit',
  );
});
