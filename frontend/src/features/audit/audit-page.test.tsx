import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import texts from '@/i18n/locales/en/audit.json';
import { encodeFilters } from '@/list/filters-codec';
import { auditEntry, listOf } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { AUDIT_ACTIONS, AUDIT_ENTITIES } from './audit-page';
// The import above loads the page up front, so that no test waits for a lazy import.

let server: FakeServer;
let rows: object[];
let failing: boolean;

beforeEach(() => {
  failing = false;
  rows = [
    auditEntry('a1'),
    auditEntry('a2', {
      at: '2026-11-19T22:00:00Z',
      actor: 'system:deliveries',
      address: null,
      action: 'driver_account.created',
      entity: 'driver_account',
      entityName: 'mlim',
      before: null,
      after: { driverId: 'DRV-033', expiresAt: '2026-11-21T07:04:00+00:00', mailed: false, x: {} },
    }),
    auditEntry('a3', { action: 'user.invented_later', before: null, after: null }),
  ];
  server = startFakeServer({
    user: rosa,
    operations: {
      AuditEntriesPage: () => {
        if (failing) throw new TypeError('lost');
        return listOf('auditEntries', rows);
      },
    },
  });
});

async function open(search = '') {
  const view = renderRoutes(declarations, `/admin/settings/audit${search}`);
  await screen.findByRole('heading', { level: 1, name: 'Audit log' });
  return view;
}

const page = () =>
  server.calls.findLast(({ name }) => name === 'AuditEntriesPage')?.variables.page as {
    where: unknown;
    sort: unknown;
  };
const entry = (name: string) => screen.findByRole('button', { name });

it('lists who did what to whom and from where, newest first', async () => {
  await open();
  await entry('Nov 20, 2026 6:00 AM');
  const [, first, second, third] = screen.getAllByRole('row');
  expect(first).toHaveTextContent('Nov 20, 2026 3:01 PMrosaRoles changedlara10.20.4.17');
  expect(second).toHaveTextContent('system:deliveriesDriver account createdmlimNone');
  expect(third).toHaveTextContent('user.invented_later');
  expect(page().sort).toEqual([{ key: 'at', direction: 'desc' }]);
  await expectAccessible();
});

it('shows beside the list what changed, and goes from one entry to the next', async () => {
  const { user } = await open();
  await entry('Nov 20, 2026 6:00 AM');
  const [roles] = screen.getAllByRole('button', { name: 'Nov 20, 2026 3:01 PM' });
  if (!roles) throw new Error('no entry');
  await user.click(roles);
  const panel = await screen.findByRole('dialog', { name: 'Roles changed' });
  expect(within(panel).getByRole('row', { name: /Roles/ })).toHaveTextContent(
    'Rolesviewerviewer, dispatcher',
  );
  expect(within(panel).getByRole('link', { name: 'lara' })).toHaveAttribute(
    'href',
    '/admin/settings/users/id-lara',
  );
  expect(roles).toHaveAttribute('aria-current', 'true');
  await expectAccessible();

  // Clicking another row while the panel is open.
  await user.click(screen.getByText('Driver account created'));
  const next = await screen.findByRole('dialog', { name: 'Driver account created' });
  const cells = within(next);
  expect(cells.getByRole('row', { name: /^Driver ID/ })).toHaveTextContent('NoneDRV-033');
  expect(cells.getByRole('row', { name: /^Link expires/ })).toHaveTextContent(
    'Nov 21, 2026 3:04 PM',
  );
  expect(cells.getByRole('row', { name: /^Emailed/ })).toHaveTextContent('No');
  expect(cells.getByRole('row', { name: /^x/ })).toHaveTextContent('{}');
  expect(cells.queryByRole('link', { name: 'mlim' })).not.toBeInTheDocument();
  expect(cells.getByText('No IP address')).toBeInTheDocument();

  await user.click(screen.getByText('user.invented_later'));
  await screen.findByText('This entry has no fields to show.');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

it.each([
  ['driver.blocked', 'driver', { status: 'active' }, { status: 'blocked' }, 'PermittedBlocked'],
  ['driver_account.blocked', 'driver_account', { status: 'active' }, { status: 'disabled' }, 'PermittedBlocked'],
  ['import.canceled', 'import', { status: 'validated' }, null, 'CheckedNone'],
  ['source.updated', 'source', { isActive: true }, { isActive: false }, 'ActiveDisabled'],
  ['user.status_changed', 'user', { status: 'active' }, { status: 'later' }, 'Activelater'],
])('shows the status of %s as its screens do', async (action, entity, before, after, shown) => {
  rows = [auditEntry('a1', { action, entity, before, after })];
  const { user } = await open();
  await user.click(await entry('Nov 20, 2026 3:01 PM'));
  const panel = within(await screen.findByRole('dialog'));
  expect(panel.getByRole('row', { name: /^Status/ })).toHaveTextContent(`Status${shown}`);
});

it('tells what an export was asked for, and what it was on', async () => {
  rows = [
    auditEntry('a1', {
      action: 'deliveries.exported',
      entity: 'delivery',
      entityId: '',
      entityName: '',
      before: null,
      after: { format: 'csv', filters: [{ key: 'id', operator: 'equals', values: ['D-1'] }] },
    }),
    auditEntry('a2', {
      action: 'proof.viewed',
      entity: 'delivery',
      entityId: 'D-1',
      entityName: 'D-1',
      before: null,
      after: null,
    }),
  ];
  const { user } = await open();
  await user.click(await screen.findByText('Deliveries exported'));
  const panel = within(await screen.findByRole('dialog', { name: 'Deliveries exported' }));
  expect(panel.getByText('No single target')).toBeInTheDocument();
  const table = within(panel.getByRole('table', { name: 'Request' }));
  expect(table.queryByRole('columnheader', { name: 'Before' })).not.toBeInTheDocument();
  expect(table.getByRole('row', { name: /^Format/ })).toHaveTextContent('Formatcsv');
  expect(table.getByRole('row', { name: /^Filters/ })).toHaveTextContent('"values":["D-1"]');
  await expectAccessible();
  await user.click(screen.getByText('Proof of delivery viewed'));
  await screen.findByRole('dialog', { name: 'Proof of delivery viewed' });
  expect(screen.getByRole('link', { name: 'D-1' })).toHaveAttribute('href', '/view-delivery/D-1');
});

it('opens by keys and gives the focus back', async () => {
  const { user } = await open();
  await entry('Nov 20, 2026 6:00 AM');
  await user.keyboard('jj{Enter}');
  await screen.findByRole('dialog', { name: 'Driver account created' });
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(await entry('Nov 20, 2026 6:00 AM')).toHaveFocus();
});

it('goes through the entries by keys and buttons without leaving the panel', async () => {
  const { user } = await open();
  await user.click(await entry('Nov 20, 2026 6:00 AM'));
  const panel = await screen.findByRole('dialog', { name: 'Driver account created' });
  await user.keyboard('k');
  expect(panel).toHaveAccessibleName('Roles changed');
  within(panel).getByRole('link', { name: 'lara' }).focus();
  expect(within(panel).getByRole('button', { name: 'Previous row' })).toBeDisabled();
  await user.keyboard('j');
  expect(panel).toHaveAccessibleName('Driver account created');
  // The link that had the focus is gone.
  await waitFor(() => expect(panel).toHaveFocus());
  const next = within(panel).getByRole('button', { name: 'Next row' });
  next.focus();
  await user.keyboard('{Enter}');
  expect(panel).toHaveAccessibleName('user.invented_later');
  expect(next).toHaveFocus();
  await user.keyboard('jj');
  expect(panel).toHaveAccessibleName('user.invented_later');
  await user.keyboard('k{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(await entry('Nov 20, 2026 6:00 AM')).toHaveFocus();
});

it('covers a narrow screen, where only the panel has keys', async () => {
  const matchMedia = vi.spyOn(window, 'matchMedia').mockImplementation(
    (media) => ({ matches: media.includes('767'), media, addEventListener: () => {}, removeEventListener: () => {} }) as unknown as MediaQueryList,
  );
  const { user } = await open();
  await user.click(await screen.findByRole('button', { name: /Driver account created/ }));
  const panel = await screen.findByRole('dialog', { name: 'Driver account created' });
  expect(panel).toHaveAttribute('aria-modal', 'true');
  await user.keyboard('f');
  expect(screen.getAllByRole('dialog')).toEqual([panel]);
  await user.keyboard('k');
  expect(panel).toHaveAccessibleName('Roles changed');
  await expectAccessible();
  matchMedia.mockRestore();
});

it('is filtered by action in words', async () => {
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'Filter' }));
  const menu = within(await screen.findByRole('dialog'));
  for (const name of ['Time', 'User', 'Action', 'Target', 'Type', 'IP address']) {
    expect(menu.getByRole('button', { name })).toBeInTheDocument();
  }
  await user.click(menu.getByRole('button', { name: 'Action' }));
  await user.click(screen.getByRole('checkbox', { name: 'Roles changed' }));
  await user.click(screen.getByRole('checkbox', { name: 'PIN set' }));
  await user.click(screen.getByRole('checkbox', { name: 'Setting changed' }));
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  await waitFor(() =>
    expect(page().where).toEqual([
      {
        key: 'action',
        operator: 'equals',
        values: ['user.roles_changed', 'driver_account.pin_set', 'setting.updated'],
      },
    ]),
  );
});

it('has words for each action and kind', () => {
  const keys = AUDIT_ACTIONS.map((action) => action.replace('.', '_'));
  expect(Object.keys(texts.actions).toSorted()).toEqual(keys.toSorted());
  expect(Object.keys(texts.entities).toSorted()).toEqual([...AUDIT_ENTITIES].toSorted());
});

it('names the fields of other systems and of reports by email', async () => {
  rows = [
    auditEntry('a1', {
      action: 'producer.updated',
      entity: 'producer',
      entityName: 'wms',
      before: { endpoint: 'Old ERP' },
      after: { endpoint: 'New ERP', lettersMoved: 2 },
    }),
    auditEntry('a2', {
      action: 'report_schedule.report_mailed',
      entity: 'report_setting',
      entityName: 'On time',
      before: null,
      after: { occurrence: '2026-11-20T06:00:00Z', owner: 'rosa', sent: 3, format: 'csv' },
    }),
  ];
  const { user } = await open();
  await user.click(await screen.findByText('Reporting system changed'));
  const panel = within(await screen.findByRole('dialog', { name: 'Reporting system changed' }));
  expect(panel.getByRole('row', { name: /^Endpoint for resends/ })).toHaveTextContent('Old ERPNew ERP');
  expect(panel.getByRole('row', { name: /^Messages moved/ })).toHaveTextContent('None2');
  await user.click(screen.getByText('Report sent by email'));
  const mailed = within(await screen.findByRole('dialog', { name: 'Report sent by email' }));
  for (const name of [/^Scheduled for/, /^Sent on behalf of/, /^Emails sent/, /^Format/]) {
    expect(mailed.getByRole('row', { name })).toBeInTheDocument();
  }
});

it('is linked to with the entries about one account', async () => {
  const filters = encodeFilters([
    { key: 'entityName', operator: 'equals', values: [{ label: 'lara', value: 'lara' }] },
  ]);
  await open(`?${new URLSearchParams({ filters })}`);
  await entry('Nov 20, 2026 6:00 AM');
  expect(page().where).toEqual([{ key: 'entityName', operator: 'equals', values: ['lara'] }]);
  expect(
    screen.getByRole('button', { name: 'Change filter: Target is lara' }),
  ).toBeInTheDocument();
});

it('says that there is nothing yet, and what failed', async () => {
  rows = [];
  const { unmount } = await open();
  await screen.findByRole('heading', { name: 'No entries yet' });
  unmount();
  failing = true;
  await open();
  await screen.findByRole('heading', { name: 'Something went wrong' });
});
