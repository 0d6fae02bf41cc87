import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { listOf } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { returnAt, stopClockAt } from '@/test/clock';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { LOGO_ID, logoInformation, logoValue, setting } from '@/test/settings';
// Loaded up front, so that no test waits for a lazy import.
import './admin-system-settings-page';
import './system-settings-page';

let server: FakeServer;
let rows: object[];
let failing: boolean;

beforeEach(() => {
  failing = false;
  rows = [
    setting('delivery-max-attempts'),
    setting('driver-online-seconds', {
      name: 'Online for',
      value: '120',
      group: 'Drivers',
      isDefault: true,
      updatedAt: null,
      updatedBy: null,
    }),
    setting('import-earliest-date', { name: 'Earliest date', value: '2026-10-31', type: 'date' }),
    setting('delivery-over-delivery', { name: 'Over-delivery', value: 'true', type: 'boolean' }),
    setting('mail-password', { name: 'Mail password', value: '', type: 'password', isSecret: true }),
    setting(LOGO_ID, { name: 'Customer logo', value: logoValue(), type: 'text' }),
  ];
});

async function open(address: string, ...roles: string[]) {
  server = startFakeServer({
    user: { ...rosa, roles },
    operations: {
      SystemSettingsPage: () => {
        if (failing) throw new TypeError('lost');
        return listOf('systemSettings', rows);
      },
      GetLogoInformation: () => logoInformation(null),
    },
  });
  const view = renderRoutes(declarations, address);
  await screen.findByRole('navigation', { name: 'Primary' });
  return view;
}

const page = () =>
  server.calls.findLast(({ name }) => name === 'SystemSettingsPage')?.variables.page;

describe('the settings of an administrator', () => {
  const show = () => open('/admin/settings/system-settings', 'admin');

  it('say that imports are paused until the pause has ended', async () => {
    stopClockAt('2026-11-20T05:59:30Z');
    rows = [setting('import-paused-until', { name: 'Imports paused until', value: '2026-11-20T14:00', type: 'dateTime' })];
    await show();
    const pause = await screen.findByRole('row', { name: /Imports paused until/ });
    expect(pause).toHaveTextContent('Nov 20, 2026 2:00 PM');
    returnAt('2026-11-20T06:00:30Z');
    expect(pause).toHaveTextContent('Not paused');
  });

  it('are listed by group with their value as people read it', async () => {
    await show();
    const attempts = await screen.findByRole('row', { name: /Attempts per delivery/ });
    expect(within(attempts).getByRole('link', { name: 'Attempts per delivery' })).toHaveAttribute(
      'href',
      '/admin/settings/system-settings/delivery-max-attempts',
    );
    expect(attempts).toHaveTextContent('Deliveries3');
    expect(attempts).toHaveTextContent('Oct 30, 2026 5:12 PMdennis');
    expect(attempts).not.toHaveTextContent('Default');
    expect(screen.getByRole('row', { name: /Online for/ })).toHaveTextContent(
      'Drivers120 secondsDefaultNeverNone',
    );
    expect(screen.getByRole('row', { name: /Earliest date/ })).toHaveTextContent('Oct 31, 2026');
    expect(screen.getByRole('row', { name: /Over-delivery/ })).toHaveTextContent('Yes');
    expect(screen.getByRole('row', { name: /Mail password/ })).toHaveTextContent('Hidden');
    expect(page()).toMatchObject({
      sort: [
        { key: 'group', direction: 'asc' },
        { key: 'name', direction: 'asc' },
      ],
    });
    await expectAccessible();
  });

  it('lead to the logo, and stand in the menu of the settings', async () => {
    await show();
    const logo = await screen.findByRole('row', { name: /Customer logo/ });
    expect(logo).toHaveTextContent('Uploaded');
    expect(within(logo).getByRole('link', { name: 'Customer logo' })).toHaveAttribute(
      'href',
      '/admin/settings/edit-logo',
    );
    const [menu] = screen.getAllByRole('navigation', { name: 'Settings' });
    if (!menu) throw new Error('no menu');
    expect(within(menu).getByRole('link', { name: 'System' })).toHaveAttribute(
      'aria-current',
      'page',
    );
    expect(within(menu).getByRole('link', { name: 'Edit Logo' })).toBeInTheDocument();
  });

  it('are found by name', async () => {
    const { user } = await show();
    await screen.findByRole('row', { name: /Attempts per delivery/ });
    await user.type(screen.getByRole('textbox', { name: 'Find by Name' }), 'logo');
    await waitFor(() =>
      expect(page()).toMatchObject({
        where: [{ key: 'name', operator: 'contains', values: ['logo'] }],
      }),
    );
  });

  it('are not there when they cannot be read, which is said', async () => {
    failing = true;
    await show();
    expect(
      await screen.findByRole('heading', { name: 'Something went wrong' }),
    ).toBeInTheDocument();
  });
});

describe('the settings of a planner', () => {
  it('are a page of the main area, and lead to pages of their own', async () => {
    await open('/system-settings', 'transport_planner');
    const row = await screen.findByRole('row', { name: /Attempts per delivery/ });
    expect(within(row).getByRole('link', { name: 'Attempts per delivery' })).toHaveAttribute(
      'href',
      '/system-settings/delivery-max-attempts',
    );
    expect(screen.queryByRole('navigation', { name: 'Settings' })).not.toBeInTheDocument();
    const primary = within(screen.getByRole('navigation', { name: 'Primary' }));
    expect(primary.getByRole('link', { name: 'Settings' })).toHaveAttribute(
      'href',
      '/system-settings',
    );
    await expectAccessible();
  });

  it('may be none', async () => {
    rows = [];
    await open('/system-settings', 'transport_planner');
    expect(await screen.findByRole('heading', { name: 'No settings' })).toBeInTheDocument();
  });

  it('are no others for an administrator, and not limited on the page of administrators', async () => {
    const own = { key: 'readers', operator: 'equals', values: ['planner'] };
    const { user, unmount } = await open('/system-settings', 'admin', 'transport_planner');
    await screen.findByRole('row', { name: /Attempts per delivery/ });
    expect(page()).toMatchObject({ where: [own] });
    await user.type(screen.getByRole('textbox', { name: 'Find by Name' }), 'logo');
    await waitFor(() =>
      expect(page()).toMatchObject({
        where: [own, { key: 'name', operator: 'contains', values: ['logo'] }],
      }),
    );
    unmount();
    await open('/admin/settings/system-settings', 'admin', 'transport_planner');
    await screen.findByRole('row', { name: /Attempts per delivery/ });
    expect(page()).toMatchObject({ where: [] });
  });
});
