import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { inputOf } from '@/form/define-form';
import { announcement } from '@/test/announcements';
import { returnAt, stopClockAt } from '@/test/clock';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { badInput, currentVersion } from '@/test/parties';
import { renderRoutes } from '@/test/render';
import { setTimeZone } from '@/test/time-zone';
import { announcementForm, newAnnouncement, oneParagraph } from './announcement-form';
// Loaded up front, so that no test waits for a lazy import.
import './edit-announcement-page';
import './new-announcement-page';
import './view-announcement-page';

let server: FakeServer;
let found: Record<string, unknown> | null;
let created: Answer;
let updated: Answer;
let deleting: Promise<void> | undefined;

beforeEach(() => {
  found = announcement('a1');
  created = {
    data: { createAnnouncement: { __typename: 'Announcement', id: 'a1', title: 'Road closed' } },
  };
  updated = { data: { updateAnnouncement: { __typename: 'Announcement', id: 'a1', version: 4 } } };
  deleting = undefined;
  server = startFakeServer({
    user: rosa,
    operations: {
      ViewAnnouncement: ({ id }) => ({
        data: { announcement: id === 'a2' ? announcement('a2', { title: 'Year-end stock count' }) : found },
      }),
      AnnouncementVersion: () => currentVersion('Announcement', 5),
      CreateAnnouncement: () => created,
      UpdateAnnouncement: () => updated,
      DeleteAnnouncement: async () => {
        await deleting;
        return { data: { deleteAnnouncement: 'a1' } };
      },
      AnnouncementsPage: () => ({
        data: {
          announcements: [],
          announcementsCount: { __typename: 'Count', total: 0, exact: true },
        },
      }),
      UsersLookup: () => ({
        data: { users: [{ __typename: 'User', username: 'lara', displayName: 'Lara Mendoza' }] },
      }),
    },
  });
});

const sent = (operation: string) => server.calls.filter((call) => call.name === operation);
const titleBox = () => screen.getByLabelText('Title');
const message = () => screen.getByLabelText('Message');
const group = (name: string) => within(screen.getByRole('group', { name: new RegExp(`^${name}`) }));
const save = () => screen.getByRole('button', { name: 'Save' });

async function openNew() {
  const view = renderRoutes(declarations, '/admin/announcements/new');
  await screen.findByRole('button', { name: 'Create announcement' });
  return view;
}

/** Opens a new announcement, and enters what every announcement needs. */
async function openFilled() {
  const view = await openNew();
  await view.user.type(titleBox(), 'Road closed');
  await view.user.type(message(), 'EDSA is closed');
  return view;
}

async function openEdit() {
  const view = renderRoutes(declarations, '/admin/announcements/a1/edit');
  await screen.findByRole('heading', { level: 2, name: 'EDSA southbound closed' });
  return view;
}

describe('a new announcement', () => {
  const create = () => screen.getByRole('button', { name: 'Create announcement' });

  it('concerns everybody from now on, unless said otherwise', async () => {
    const { user, address } = await openNew();
    await user.type(titleBox(), ' Road closed ');
    await user.type(message(), 'EDSA is closed');
    await expectAccessible();
    await user.dblClick(create());
    await waitFor(() => expect(address()).toBe('/admin/announcements/a1'));
    expect(await screen.findByText('Road closed created')).toBeInTheDocument();
    expect(sent('CreateAnnouncement')).toHaveLength(1);
    const [{ input }] = sent('CreateAnnouncement').map(({ variables }) => variables) as [
      { input: { creationId: string; announcement: { startsAt: string } } },
    ];
    const { creationId, announcement: saved } = input;
    expect(creationId).toMatch(/^[0-9a-f-]{36}$/);
    expect(saved).toEqual({
      title: 'Road closed',
      message: 'EDSA is closed',
      severity: 'info',
      audienceRoles: [],
      audienceUsers: [],
      startsAt: saved.startsAt,
      endsAt: null,
      isActive: true,
      dismissible: true,
    });
    const age = Date.now() - Date.parse(saved.startsAt);
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(180_000);
  });

  it('concerns roles and users that are chosen, in a window', async () => {
    const { user } = await openFilled();
    await user.click(screen.getByRole('radio', { name: 'Critical' }));
    await user.click(screen.getByRole('radio', { name: 'Selected people' }));
    await user.click(screen.getByRole('checkbox', { name: 'Dispatcher' }));
    const users = screen.getByRole('combobox', { name: 'Users' });
    await user.type(users, 'lar');
    await waitFor(() =>
      expect(sent('UsersLookup').map(({ variables }) => variables)).toContainEqual({
        page: {
          where: [
            { key: 'username', operator: 'contains', values: ['lar'] },
            // Invited users see the announcement once they have signed in.
            { key: 'status', operator: '!equals', values: ['disabled'] },
          ],
          sort: [{ key: 'username', direction: 'asc' }],
          limit: 30,
          offset: 0,
        },
      }),
    );
    await user.click(await screen.findByRole('option', { name: 'lara (Lara Mendoza)' }));
    expect(within(screen.getByRole('list', { name: 'Selected users' })).getByText('lara')).toBeVisible();
    const until = group('Until');
    await user.type(until.getByLabelText('Month'), '12');
    await user.type(until.getByLabelText('Day'), '31');
    await user.type(until.getByLabelText('Year'), '2099');
    await user.type(until.getByLabelText('Time'), '18:00');
    await user.click(screen.getByRole('switch', { name: 'Can be dismissed' }));
    await expectAccessible();
    await user.click(create());
    await waitFor(() => expect(sent('CreateAnnouncement')).toHaveLength(1));
    expect(sent('CreateAnnouncement')[0]?.variables.input).toMatchObject({
      announcement: {
        severity: 'critical',
        audienceRoles: ['dispatcher'],
        audienceUsers: ['lara'],
        endsAt: '2099-12-31T10:00:00.000Z',
        dismissible: false,
      },
    });
  });

  it('concerns a user whose name was typed in full, but not chosen', async () => {
    const { user } = await openFilled();
    await user.click(screen.getByRole('radio', { name: 'Selected people' }));
    await user.type(screen.getByRole('combobox', { name: 'Users' }), 'Lara');
    await screen.findByRole('option', { name: 'lara (Lara Mendoza)' });
    await user.click(create());
    await waitFor(() => expect(sent('CreateAnnouncement')).toHaveLength(1));
    expect(sent('CreateAnnouncement')[0]?.variables.input).toMatchObject({ announcement: { audienceUsers: ['lara'] } });
  });

  it('is not created without a user whose name was typed in part', async () => {
    const { user } = await openFilled();
    await user.click(screen.getByRole('radio', { name: 'Selected people' }));
    await user.click(screen.getByRole('checkbox', { name: 'Dispatcher' }));
    await user.type(screen.getByRole('combobox', { name: 'Users' }), 'Lar');
    await screen.findByRole('option', { name: 'lara (Lara Mendoza)' });
    await user.click(create());
    expect(screen.getByRole('combobox', { name: 'Users' })).toHaveValue('Lar');
    expect(screen.getByRole('combobox', { name: 'Users' })).toHaveFocus();
    expect(screen.getByText('Choose one of the suggestions, or clear this field.')).toBeVisible();
    expect(sent('CreateAnnouncement')).toEqual([]);
  });

  it('keeps its window when the time zone of the organization changes', async () => {
    const { user, auth } = await openFilled();
    const until = group('Until');
    await user.click(until.getByLabelText('Month'));
    await user.paste('2099-12-31');
    await user.type(until.getByLabelText('Time'), '18:00');
    setTimeZone(auth, 'UTC');
    expect(until.getByLabelText('Time')).toHaveValue('10:00');
    await user.click(create());
    await waitFor(() => expect(sent('CreateAnnouncement')).toHaveLength(1));
    expect(sent('CreateAnnouncement')[0]?.variables.input).toMatchObject({
      announcement: { endsAt: '2099-12-31T10:00:00.000Z' },
    });
  });

  it('says what is wrong under each field', async () => {
    const { user } = await openNew();
    await user.click(screen.getByRole('radio', { name: 'Selected people' }));
    const from = group('From');
    await user.clear(from.getByLabelText('Month'));
    await user.type(from.getByLabelText('Month'), '13');
    await user.click(create());
    await waitFor(() => expect(titleBox()).toHaveAccessibleDescription('Title is required'));
    expect(message()).toHaveAccessibleDescription(/^Message is required/);
    expect(screen.getAllByText('Inputted Date is Invalid').length).toBeGreaterThan(0);
    expect(screen.getAllByText('Choose at least one role or user').length).toBeGreaterThan(0);
    expect(screen.getByText('Errors prevented this form from being saved')).toBeInTheDocument();
    expect(titleBox()).toHaveFocus();
    await user.click(screen.getByRole('checkbox', { name: 'Viewer' }));
    await waitFor(() =>
      expect(screen.queryByText('Choose at least one role or user')).not.toBeInTheDocument(),
    );
    expect(sent('CreateAnnouncement')).toEqual([]);
  });

  it('counts characters as people do, and takes no more than 500', async () => {
    const { user } = await openNew();
    await user.click(message());
    await user.paste('😀'.repeat(500));
    expect(message()).toHaveAccessibleDescription(/500 of 500 characters/);
    await user.paste('😀');
    await user.type(titleBox(), 'Faces');
    await user.click(create());
    await waitFor(() => expect(message()).toHaveAccessibleDescription(/^Message is too long/));
    await user.click(titleBox());
    await user.paste('x'.repeat(121));
    await waitFor(() => expect(titleBox()).toHaveAccessibleDescription('Title is too long'));
    expect(sent('CreateAnnouncement')).toEqual([]);
  });

  it('ends after it starts', async () => {
    const { user } = await openFilled();
    const until = group('Until');
    await user.type(until.getByLabelText('Month'), '01');
    await user.type(until.getByLabelText('Day'), '01');
    await user.type(until.getByLabelText('Year'), '2020');
    await user.type(until.getByLabelText('Time'), '18:00');
    await user.click(create());
    expect((await screen.findAllByText('“Until” must be later than “From”')).length).toBeGreaterThan(0);
  });

  it('shows what the server refuses, and is the same event when sent again', async () => {
    created = badInput({ message: ['Message must not hold control characters'] });
    const { user } = await openFilled();
    await user.click(create());
    await waitFor(() =>
      expect(message()).toHaveAccessibleDescription(/^Message must not hold control characters/),
    );
    await user.click(create());
    await waitFor(() => expect(sent('CreateAnnouncement')).toHaveLength(2));
    const [first, second] = sent('CreateAnnouncement').map(
      ({ variables }) => (variables.input as { creationId: string }).creationId,
    );
    expect(first).toBe(second);
  });

  it('is not left by mistake', async () => {
    const { user } = await openNew();
    await user.type(titleBox(), 'Road closed');
    await user.click(screen.getByRole('link', { name: 'Cancel' }));
    expect(await screen.findByRole('alertdialog', { name: 'Leave without saving?' })).toBeVisible();
  });
});

describe('editing an announcement', () => {
  it('sends all of it with the version that was read, and times nobody touched to the second', async () => {
    const { user, auth, address } = await openEdit();
    setTimeZone(auth, 'UTC');
    expect(group('From').getByLabelText('Time')).toHaveValue('05:10');
    expect(save()).toBeDisabled();
    await user.click(screen.getByRole('switch', { name: 'Active' }));
    await user.dblClick(save());
    await waitFor(() => expect(address()).toBe('/admin/announcements/a1'));
    expect(sent('UpdateAnnouncement').map(({ variables }) => variables)).toEqual([
      {
        input: {
          id: 'a1',
          version: 3,
          announcement: {
            title: 'EDSA southbound closed',
            message: 'EDSA southbound closed at Guadalupe until 6:00 PM',
            severity: 'critical',
            audienceRoles: [],
            audienceUsers: [],
            startsAt: '2026-11-20T05:10:30Z',
            endsAt: null,
            isActive: false,
            dismissible: true,
          },
        },
      },
    ]);
  });

  it('is told of who was faster, and starts over from that', async () => {
    updated = {
      errors: [
        {
          message: 'It was changed meanwhile.',
          extensions: { code: 'FAILED_PRECONDITION', reason: 'ANNOUNCEMENT_CHANGED' },
        },
      ],
    };
    const { user } = await openEdit();
    await user.type(titleBox(), '!');
    await user.click(save());
    expect(
      await screen.findByText(/dennis changed this on Nov 20, 2026 3:01 PM, after you opened it/),
    ).toBeInTheDocument();
    found = announcement('a1', { title: 'Road open', version: 5 });
    await user.click(screen.getByRole('button', { name: 'Reload' }));
    await waitFor(() => expect(titleBox()).toHaveValue('Road open'));
    updated = { data: { updateAnnouncement: { __typename: 'Announcement', id: 'a1', version: 6 } } };
    await user.type(titleBox(), '!');
    await user.click(save());
    await waitFor(() =>
      expect(sent('UpdateAnnouncement').at(-1)?.variables.input).toMatchObject({ version: 5 }),
    );
  });

  it('says that there is none at an address', async () => {
    found = null;
    renderRoutes(declarations, '/admin/announcements/a1/edit');
    expect(await screen.findByText('Announcement not found')).toBeInTheDocument();
  });
});

describe('the page of an announcement', () => {
  async function openView() {
    const view = renderRoutes(declarations, '/admin/announcements/a1');
    await screen.findByRole('heading', { level: 2, name: 'EDSA southbound closed' });
    return view;
  }

  it('shows its facts, and the banner as its readers see it', async () => {
    await openView();
    const facts = screen.getByRole('region', { name: 'Details' });
    expect(facts).toHaveTextContent(/Critical.*Everyone.*Nov 20, 2026 1:10 PM.*No end.*31 users.*Yes/);
    const preview = screen.getByRole('region', { name: 'Preview' });
    expect(preview).toHaveTextContent('News');
    expect(
      within(preview).getAllByText('EDSA southbound closed at Guadalupe until 6:00 PM').length,
    ).toBeGreaterThan(1);
    expect(within(preview).getByRole('article')).toHaveTextContent('Critical');
    await expectAccessible();
  });

  it('says how it stands as time passes', async () => {
    stopClockAt('2026-11-20T05:10:00Z');
    found = announcement('a1', { endsAt: '2026-11-20T06:00:00Z' });
    await openView();
    expect(screen.getByText('Scheduled')).toBeInTheDocument();
    returnAt('2026-11-20T05:11:00Z');
    expect(screen.getByText('Active')).toBeInTheDocument();
    returnAt('2026-11-20T06:00:00Z');
    expect(screen.getByText('Ended')).toBeInTheDocument();
  });

  it('deletes it after a question, and goes back to the list', async () => {
    const { user, address } = await openView();
    await user.click(screen.getByRole('button', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog');
    await user.click(within(question).getByRole('button', { name: 'Cancel' }));
    expect(sent('DeleteAnnouncement')).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Delete' }));
    await user.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }),
    );
    await waitFor(() => expect(address()).toBe('/admin/announcements'));
    expect(sent('DeleteAnnouncement')[0]?.variables).toEqual({ input: { id: 'a1', version: 3 } });
  });

  it('stays on the page that was opened while it is being deleted', async () => {
    let finish: () => void = () => undefined;
    deleting = new Promise((resolve) => (finish = resolve));
    const { user, router, address } = await openView();
    await user.click(screen.getByRole('button', { name: 'Delete' }));
    await user.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }),
    );
    await act(() => router.navigate('/admin/announcements/new'));
    await screen.findByRole('button', { name: 'Create announcement' });
    finish();
    expect(await screen.findByText('EDSA southbound closed deleted')).toBeInTheDocument();
    expect(address()).toBe('/admin/announcements/new');
  });

  it('stays on the page of another announcement that was opened while it is being deleted', async () => {
    let finish: () => void = () => undefined;
    deleting = new Promise((resolve) => (finish = resolve));
    const { user, router } = await openView();
    const visit = async (id: string, title: string) => {
      await act(() => router.navigate(`/admin/announcements/${id}`));
      await screen.findByRole('heading', { level: 2, name: title });
    };
    // Read before, so that the page has it at once.
    await visit('a2', 'Year-end stock count');
    await visit('a1', 'EDSA southbound closed');
    await user.click(screen.getByRole('button', { name: 'Delete' }));
    await user.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }),
    );
    await visit('a2', 'Year-end stock count');
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
    finish();
    expect(await screen.findByText('EDSA southbound closed deleted')).toBeInTheDocument();
    const { navigation, location } = router.state;
    expect([navigation.state, location.pathname]).toEqual(['idle', '/admin/announcements/a2']);
  });
});

it('makes one paragraph of several lines', () => {
  expect(oneParagraph(' EDSA is closed. \r\n\r\n  Use C5. ')).toBe('EDSA is closed. Use C5.');
});

it('forgets whom it concerned once it concerns everybody', () => {
  const values = {
    ...newAnnouncement('Asia/Manila', new Date('2026-11-20T05:10:30Z')),
    audienceRoles: ['viewer'],
    audienceUsers: ['lara'],
  };
  expect(inputOf(announcementForm, values, 'Asia/Manila')).toMatchObject({
    audienceRoles: [],
    audienceUsers: [],
    startsAt: '2026-11-20T05:10:00.000Z',
  });
});
