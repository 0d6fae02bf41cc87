import { readFileSync } from 'node:fs';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';
import { myAnnouncement } from '@/test/announcements';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { FakeSocket } from '@/test/fake-socket';
import { renderRoutes } from '@/test/render';
import { Shell } from './shell';
// Loaded up front, so that no test waits for a lazy import.
import './announcements-menu';

const page = () => Promise.resolve({ default: () => <p>Content</p> });
const declarations: RouteEntry[] = [
  { name: 'login', path: routePaths.login, page: () => Promise.resolve({ default: () => <h1>Login</h1> }) },
  {
    unauthenticated: 'login',
    wrap: Shell,
    routes: [{ name: 'deliveries', path: routePaths.deliveries, page }],
  },
];

let server: FakeServer;
let user: Record<string, unknown>;
let mine: () => Answer | Promise<Answer>;

const dispatcher = { ...rosa, roles: ['dispatcher'] };
const marks = () =>
  server.calls.filter(({ name }) => name === 'MarkAnnouncements').map(({ variables }) => variables);

beforeEach(() => {
  user = { ...dispatcher, news: ['Road closed', 'New photo rule'] };
  mine = () => ({
    data: {
      myAnnouncements: [
        myAnnouncement('a1', { title: 'Road', message: 'Road closed' }),
        myAnnouncement('a2', {
          title: 'Photos',
          message: 'New photo rule',
          severity: 'warning',
          dismissible: false,
          seen: true,
        }),
        myAnnouncement('a3', {
          title: 'Update',
          message: 'System update tonight',
          severity: 'info',
          seen: true,
          dismissed: true,
          endsAt: '2026-11-21T15:30:00Z',
        }),
      ],
    },
  });
});

async function open() {
  server = startFakeServer({
    user,
    operations: {
      MyAnnouncements: () => mine(),
      MarkAnnouncements: () => ({ data: { markAnnouncements: [] } }),
    },
  });
  const view = renderRoutes(declarations, '/deliveries');
  await screen.findByText('Content');
  return view;
}

const banner = () => screen.queryByRole('region', { name: 'News' });
/** The news and their copy, which follows them on the moving strip. */
const strips = () => [...(banner()?.querySelectorAll('p') ?? [])];
const bell = (name: string | RegExp = /^Announcements/) => screen.findByRole('button', { name });

describe('the news banner', () => {
  it('moves left at 100 pixels a second, for 3 loops', async () => {
    vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(2000);
    await open();
    const [text] = strips();
    expect(text).toHaveClass('animate-news');
    const strip = (text as HTMLElement).parentElement as HTMLElement;
    expect(strip.style.getPropertyValue('--news-loop')).toBe('20s');
    expect(strip.style.getPropertyValue('--news-loops')).toBe('3');
    const styles = readFileSync('src/ui/styles.css', 'utf8');
    expect(styles).toContain('--animate-news: news var(--news-loop) linear var(--news-loops);');
    expect(styles).toMatch(/@keyframes news \{\s*to \{\s*transform: translateX\(-100%\);/);
    vi.restoreAllMocks();
  });

  it('isolates the messages, which may run from right to left', async () => {
    await open();
    expect(strips()).toHaveLength(2);
    for (const strip of strips()) {
      expect(strip).toHaveTextContent(/^Road closed, New photo rule$/);
      expect([...strip.querySelectorAll('bdi')].map(({ textContent }) => textContent)).toEqual(['Road closed', 'New photo rule']);
    }
  });

  it('is fixed at the top', async () => {
    await open();
    expect(banner()).toHaveClass('fixed', 'top-0', 'inset-x-0');
    await expectAccessible();
  });

  it('hides after the last loop, and leaves what it said unread', async () => {
    await open();
    const [text] = strips();
    // jsdom has no CSS animations, so React listens for the prefixed event.
    fireEvent(text as HTMLElement, new Event('webkitAnimationEnd', { bubbles: true }));
    expect(banner()).not.toBeInTheDocument();
    await bell('Announcements, 1 unread');
    expect(marks()).toEqual([]);
  });

  it('holds still while it is hovered, has the focus or is paused', async () => {
    vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(2000);
    const { user: person } = await open();
    const [text] = strips();
    expect(banner()).toHaveClass('group/news');
    expect(text).toHaveClass(
      'group-hover/news:[animation-play-state:paused]',
      'group-has-focus-visible/news:[animation-play-state:paused]',
    );
    await person.click(screen.getByRole('button', { name: 'Pause' }));
    expect(text).toHaveClass('[animation-play-state:paused]');
    await person.click(screen.getByRole('button', { name: 'Play' }));
    expect(text).not.toHaveClass('[animation-play-state:paused]');
    vi.restoreAllMocks();
  });

  it('stands in several lines under reduced motion', async () => {
    await open();
    const [text, copy] = strips();
    expect(text).toHaveClass('motion-reduce:animate-none', 'motion-reduce:whitespace-normal');
    expect(copy).toHaveClass('motion-reduce:hidden');
    expect(screen.getByRole('button', { name: 'Pause' })).toHaveClass('motion-reduce:hidden');
  });

  it('dismisses what it said when it is closed, and nothing else', async () => {
    const { user: person } = await open();
    await person.click(screen.getByRole('button', { name: 'Close news' }));
    expect(banner()).not.toBeInTheDocument();
    await waitFor(() => expect(marks()).toEqual([{ input: { ids: ['a1', 'a2'], dismiss: true } }]));
  });

  it('is not there for somebody without news', async () => {
    user = dispatcher;
    await open();
    expect(banner()).not.toBeInTheDocument();
  });
});

describe('the bell', () => {
  it('counts what is unread and lists all of it, what was dismissed as well', async () => {
    const { user: person } = await open();
    await person.click(await bell('Announcements, 1 unread'));
    const list = await screen.findByRole('dialog', { name: 'Announcements' });
    const [first, second, third, ...rest] = await within(list).findAllByRole('listitem');
    expect(rest).toEqual([]);
    expect(first).toHaveTextContent('Critical');
    expect(first).toHaveTextContent('New');
    expect(first).toHaveTextContent('RoadRoad closedFrom Nov 20, 2026 1:10 PM');
    expect(second).toHaveTextContent('WarningPhotosNew photo rule');
    expect(third).toHaveTextContent('InfoUpdateSystem update tonight');
    expect(third).toHaveTextContent('until Nov 21, 2026 11:30 PM');
    expect(within(list).queryByRole('link')).not.toBeInTheDocument();
    await expectAccessible(list);
    await waitFor(() => expect(marks()).toEqual([{ input: { ids: ['a1'], dismiss: false } }]));
  });

  it('is read anew once it was marked, and closed by the keyboard', async () => {
    const { user: person } = await open();
    const unread = mine();
    mine = () => unread;
    const button = await bell('Announcements, 1 unread');
    mine = () => ({ data: { myAnnouncements: [myAnnouncement('a1', { seen: true })] } });
    button.focus();
    await person.keyboard('{Enter}');
    await screen.findByRole('dialog', { name: 'Announcements' });
    expect(await screen.findByRole('button', { name: 'Close announcements' })).toHaveFocus();
    await person.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(await bell('Announcements')).toHaveFocus();
  });

  it('says that there is nothing', async () => {
    mine = () => ({ data: { myAnnouncements: [] } });
    const { user: person } = await open();
    await person.click(await bell('Announcements'));
    expect(await screen.findByText('No announcements')).toBeInTheDocument();
  });

  it('says that reading failed, and tries again', async () => {
    const all = mine();
    mine = () => ({ errors: [{ message: 'Not now' }] });
    const { user: person } = await open();
    await person.click(await bell('Announcements'));
    expect(await screen.findByText("Couldn't load announcements.")).toBeInTheDocument();
    mine = () => all;
    await person.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByText('System update tonight')).toBeInTheDocument();
  });

  it('is there without a role, too', async () => {
    user = { ...rosa, roles: [] };
    await open();
    expect(await bell('Announcements, 1 unread')).toBeInTheDocument();
  });

  it('leads an administrator to all announcements', async () => {
    user = rosa;
    const { user: person } = await open();
    await person.click(await bell());
    expect(await screen.findByRole('link', { name: 'Manage announcements' })).toHaveAttribute(
      'href',
      '/admin/announcements',
    );
  });
});

describe('without a reload', () => {
  beforeEach(() => FakeSocket.install());

  async function connected() {
    await waitFor(() => expect(FakeSocket.last().open().length).toBeGreaterThan(0));
    return FakeSocket.last();
  }

  it('shows news as they come, and takes away what is over', async () => {
    user = dispatcher;
    mine = () => ({ data: { myAnnouncements: [] } });
    await open();
    const socket = await connected();
    expect(banner()).not.toBeInTheDocument();
    mine = () => ({ data: { myAnnouncements: [myAnnouncement('a1')] } });
    act(() => socket.push({ currentUserChanged: { ...dispatcher, news: ['Road closed'] } }));
    await waitFor(() => expect(banner()).toHaveTextContent('Road closed'));
    await bell('Announcements, 1 unread');
    act(() => socket.push({ currentUserChanged: dispatcher }));
    await waitFor(() => expect(banner()).not.toBeInTheDocument());
  });

  it('keeps the announcements while a failed read is repeated', async () => {
    await open();
    const socket = await connected();
    await bell('Announcements, 1 unread');
    let answer: ((reply: Answer) => void) | undefined;
    mine = () => new Promise((resolve) => (answer = resolve));
    const readAgain = async () => {
      answer = undefined;
      act(() => socket.push({ currentUserChanged: user }));
      await waitFor(() => expect(answer).toBeDefined());
    };
    const fail = () => act(async () => answer?.({ data: null, errors: [{ message: 'Not now' }] }));
    await readAgain();
    await fail();
    await readAgain();
    expect(await bell()).toHaveAccessibleName('Announcements, 1 unread');
    await fail();
    expect(await bell()).toHaveAccessibleName('Announcements, 1 unread');
  });

  it('brings the banner back for what is new since it was closed', async () => {
    const { user: person } = await open();
    const socket = await connected();
    await person.click(screen.getByRole('button', { name: 'Close news' }));
    act(() => socket.push({ currentUserChanged: { ...dispatcher, news: ['New photo rule'] } }));
    await waitFor(() => expect(marks()).toHaveLength(1));
    expect(banner()).not.toBeInTheDocument();
    act(() =>
      socket.push({ currentUserChanged: { ...dispatcher, news: ['Typhoon', 'New photo rule'] } }),
    );
    await waitFor(() => expect(banner()).toHaveTextContent('Typhoon, New photo rule'));
  });

  it('ends with the session', async () => {
    const { address } = await open();
    const socket = await connected();
    server.signOut();
    act(() => socket.close(4401, 'Unauthorized'));
    expect(await screen.findByRole('alertdialog', { name: 'You were signed out' })).toBeInTheDocument();
    expect(address()).toBe('/deliveries');
  });

  it('reads the user anew after a break', async () => {
    await open();
    const socket = await connected();
    const reads = () =>
      server.calls.filter(({ name }) => name === '__REDWOOD__AUTH_GET_CURRENT_USER').length;
    const before = reads();
    act(() => socket.close(1006));
    await waitFor(() => expect(FakeSocket.all).toHaveLength(2), { timeout: 5000 });
    await waitFor(() => expect(reads()).toBe(before + 1));
    expect(banner()).toHaveTextContent('Road closed, New photo rule');
  });
});
