import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { decodeFilters } from '@/list/filters-codec';
import { listOf } from '@/test/accounts';
import { announcement } from '@/test/announcements';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { announcementState } from './announcement';
// Loaded up front, so that no test waits for a lazy import.
import './announcements-page';

const count = (total: number) => ({ __typename: 'Count', total, exact: true });
const later = new Date(Date.now() + 86_400_000).toISOString();

let server: FakeServer;
let rows: object[];
let removed: Answer;

beforeEach(() => {
  removed = { data: { deleteAnnouncement: 'a1' } };
  rows = [
    announcement('a1'),
    announcement('a2', {
      title: 'Year-end stock count',
      severity: 'warning',
      audienceRoles: ['transport_planner'],
      audienceUsers: ['lara'],
      startsAt: later,
      seenCount: 0,
    }),
    announcement('a3', {
      title: 'Typhoon signal 2',
      severity: 'info',
      audienceUsers: ['ana', 'ben', 'cora', 'dan'],
      endsAt: '2026-11-20T06:00:00Z',
    }),
    announcement('a4', { title: 'New photo rule', isActive: false }),
  ];
  server = startFakeServer({
    user: rosa,
    operations: {
      AnnouncementsPage: () => listOf('announcements', rows),
      AnnouncementsByState: () => ({
        data: {
          all: count(4),
          active: count(1),
          scheduled: count(1),
          ended: count(1),
          off: count(1),
        },
      }),
      DeleteAnnouncement: () => removed,
    },
  });
});

async function open(address = '/admin/announcements') {
  const view = renderRoutes(declarations, address);
  await screen.findByRole('heading', { level: 1, name: 'Announcements' });
  await screen.findByRole('link', { name: 'EDSA southbound closed' });
  return view;
}

const row = (title: string) =>
  screen.getByRole('link', { name: title }).closest('tr') as HTMLTableRowElement;
const asked = () => server.calls.filter(({ name }) => name === 'AnnouncementsPage');

it('lists title, audience in words, severity, state, window and by how many it was seen', async () => {
  await open();
  expect(row('EDSA southbound closed')).toHaveTextContent(
    /EDSA southbound closedEveryone.*Critical.*Active.*Nov 20, 2026 1:10 PM.*No end.*31/,
  );
  expect(row('Year-end stock count')).toHaveTextContent(/Transport planner, lara.*Warning.*Scheduled/);
  expect(row('Typhoon signal 2')).toHaveTextContent(/4 people.*Info.*Ended.*Nov 20, 2026 2:00 PM/);
  expect(row('New photo rule')).toHaveTextContent(/Everyone.*Off/);
  expect(screen.getByRole('link', { name: 'New announcement' })).toHaveAttribute(
    'href',
    '/admin/announcements/new',
  );
  await expectAccessible();
});

it('is a link of the drawer', async () => {
  await open();
  const drawer = within(screen.getByRole('navigation', { name: 'Primary' }));
  expect(drawer.getByRole('link', { name: 'Announcements' })).toHaveAttribute('aria-current', 'page');
});

it('is narrowed by state, severity and title', async () => {
  const { user, address } = await open();
  const views = within(screen.getByRole('navigation', { name: 'Views' }));
  await user.click(views.getByRole('link', { name: /^Scheduled/ }));
  await waitFor(() =>
    expect(asked().at(-1)?.variables).toMatchObject({
      where: [{ key: 'state', operator: 'equals', values: ['scheduled'] }],
    }),
  );
  await user.click(views.getByRole('link', { name: /^All/ }));
  await user.click(screen.getByRole('button', { name: 'Filter' }));
  const menu = within(await screen.findByRole('dialog', { name: 'Filter' }));
  await user.click(menu.getByRole('button', { name: 'Severity' }));
  await user.click(await screen.findByRole('checkbox', { name: 'Critical' }));
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  await waitFor(() =>
    expect(asked().at(-1)?.variables).toMatchObject({
      where: [{ key: 'severity', operator: 'equals', values: ['critical'] }],
    }),
  );
  await user.type(screen.getByRole('textbox', { name: 'Find by Title' }), 'edsa');
  await waitFor(() => {
    const filters = new URLSearchParams(address().split('?')[1]).get('filters');
    expect(decodeFilters(filters).filters.map(({ key, operator }) => [key, operator])).toContainEqual([
      'title',
      'contains',
    ]);
  });
});

describe('deleting from the list', () => {
  it('asks, and sends the version that was shown', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Actions for EDSA southbound closed' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog', { name: 'Delete EDSA southbound closed?' });
    await expectAccessible(question);
    rows = rows.slice(1);
    await user.click(within(question).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('EDSA southbound closed deleted')).toBeInTheDocument();
    await waitFor(() =>
      expect(screen.queryByRole('link', { name: 'EDSA southbound closed' })).not.toBeInTheDocument(),
    );
    expect(server.calls.find(({ name }) => name === 'DeleteAnnouncement')?.variables).toEqual({
      input: { id: 'a1', version: 3 },
    });
    // The announcement after it, since its own button is gone.
    await waitFor(() => expect(screen.getByRole('link', { name: 'Year-end stock count' })).toHaveFocus());
  });

  it('says why it was refused', async () => {
    removed = {
      errors: [
        {
          message: 'dennis changed this announcement meanwhile.',
          extensions: { code: 'FAILED_PRECONDITION', reason: 'ANNOUNCEMENT_CHANGED' },
        },
      ],
    };
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Actions for EDSA southbound closed' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    await user.click(await screen.findByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('dennis changed this announcement meanwhile.')).toBeInTheDocument();
    expect(screen.getByRole('alertdialog')).toBeInTheDocument();
  });
});

it.each([
  [{ isActive: true, startsAt: '2026-11-20T05:00:00Z', endsAt: null }, 'active'],
  [{ isActive: true, startsAt: '2026-11-20T05:00:00.001Z', endsAt: null }, 'scheduled'],
  [{ isActive: true, startsAt: '2026-11-20T04:00:00Z', endsAt: '2026-11-20T05:00:00.001Z' }, 'active'],
  [{ isActive: true, startsAt: '2026-11-20T04:00:00Z', endsAt: '2026-11-20T05:00:00Z' }, 'ended'],
  [{ isActive: false, startsAt: '2026-11-20T04:00:00Z', endsAt: '2026-11-20T05:00:00Z' }, 'off'],
] as const)('knows the state of %j: %s', (window, state) => {
  expect(announcementState(window, Date.parse('2026-11-20T05:00:00Z'))).toBe(state);
});
