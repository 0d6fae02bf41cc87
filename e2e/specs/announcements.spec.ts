// An administrator creates announcements with the keyboard alone, and the people they are for see them.
import type { Page } from '@playwright/test';
import { officeAccount } from '../support/accounts.ts';
import { ask, signIn } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { press, reach, typeInto } from '../support/keyboard.ts';
import { look, lookInBothSizes } from '../support/look.ts';
import { fact } from '../support/screens.ts';

test.use({ as: 'admin' });

const CREATE = 'mutation($input: CreateAnnouncementInput!) { createAnnouncement(input: $input) { id version } }';
const ALL = '{ announcements(page: { limit: 100 }) { id version } }';
const DELETE = 'mutation($input: DeleteAnnouncementInput!) { deleteAnnouncement(input: $input) }';

const tag = () => Math.random().toString(36).slice(2, 8);
const banner = (page: Page) => page.getByRole('region', { name: 'News' });
const bell = (page: Page) => page.getByRole('button', { name: /^Announcements/ });
const list = (page: Page) => page.getByRole('dialog', { name: 'Announcements' });

/** No test should see the announcements of another test. */
test.beforeEach(async ({ page }) => forget(page));
test.afterEach(async ({ page }) => forget(page));

async function forget(page: Page) {
  const { request } = page.context();
  const { announcements } = await ask(request, ALL);
  for (const { id, version } of announcements) await ask(request, DELETE, { input: { id, version } });
}

async function announce(page: Page, changes: Record<string, unknown>) {
  const announcement = {
    title: 'Announced',
    message: 'Announced',
    severity: 'info',
    audienceRoles: [],
    audienceUsers: [],
    startsAt: new Date(Date.now() - 60_000).toISOString(),
    endsAt: null,
    isActive: true,
    dismissible: true,
    ...changes,
  };
  const input = { creationId: crypto.randomUUID(), announcement };
  return (await ask(page.context().request, CREATE, { input })).createAnnouncement;
}

test('an administrator announces to dispatchers, who read, close and find it again', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(180_000);
  const name = tag();
  const title = `EDSA ${name}`;
  const message = `EDSA southbound closed at Guadalupe until 6:00 PM ${name}`;
  const account = await officeAccount(page.context().request, `dispatch-${name}`, ['dispatcher']);
  const elsewhere = await browser.newContext({ baseURL: baseURL!, reducedMotion: 'reduce' });
  await signIn(elsewhere.request, account);
  const dispatcher = await elsewhere.newPage();
  await dispatcher.goto('/deliveries');
  await expect(dispatcher.getByRole('table', { name: 'Deliveries' })).toBeVisible();
  await expect(bell(dispatcher)).toHaveAccessibleName('Announcements');
  await expect(banner(dispatcher)).toHaveCount(0);

  await test.step('by the keyboard only', async () => {
    await page.goto('/deliveries');
    await press(page, page.getByRole('navigation', { name: 'Primary' }).getByRole('link', { name: 'Announcements' }));
    await expect(page).toHaveURL('/admin/announcements');
    await press(page, page.getByRole('link', { name: 'New announcement' }).first());
    const create = page.getByRole('button', { name: 'Create announcement' });
    await press(page, create);
    await expect(page.getByText('Title is required').first()).toBeVisible();
    await expect(page.getByLabel('Title')).toBeFocused();
    await lookInBothSizes(page, 'announcement-new');
    await typeInto(page, page.getByLabel('Title'), title);
    await typeInto(page, page.getByLabel('Message'), message);
    await reach(page, page.getByRole('radio', { name: 'Info' }));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('radio', { name: 'Critical' })).toBeChecked();
    await reach(page, page.getByRole('radio', { name: 'Everyone' }));
    await page.keyboard.press('ArrowRight');
    await press(page, page.getByRole('checkbox', { name: 'dispatcher' }), 'Space');
    await press(page, create);
    await expect(page.getByText(`${title} created`)).toBeVisible();
    await expect(fact(page, 'Details', 'Severity')).toHaveText('Critical');
    await expect(fact(page, 'Details', 'Audience')).toHaveText('Dispatcher');
    await lookInBothSizes(page, 'announcement');
    await expect(banner(page), 'an administrator is no dispatcher').toHaveCount(0);
  });

  await test.step('the open page of a dispatcher shows it without a reload', async () => {
    await expect(banner(dispatcher)).toContainText(message);
    await expect(bell(dispatcher)).toHaveAccessibleName('Announcements, 1 unread');
    const { x, y, width } = (await banner(dispatcher).boundingBox())!;
    expect([x, y, width]).toEqual([0, 0, dispatcher.viewportSize()!.width]);
    // The banner would move for half a minute, so the test asks for reduced motion.
    await dispatcher.emulateMedia({ reducedMotion: 'reduce' });
    await lookInBothSizes(dispatcher, 'news-banner');
    await dispatcher.emulateMedia({ reducedMotion: 'no-preference' });
  });

  await test.step('which closes it, and finds it below the bell', async () => {
    await press(dispatcher, dispatcher.getByRole('button', { name: 'Close news' }));
    await expect(banner(dispatcher)).toHaveCount(0);
    await expect(bell(dispatcher)).toHaveAccessibleName('Announcements');
    await dispatcher.reload();
    await press(dispatcher, bell(dispatcher));
    await expect(list(dispatcher)).toContainText(`Critical${title}${message}`);
    await lookInBothSizes(dispatcher, 'announcements-bell', '[role=dialog]');
    await dispatcher.keyboard.press('Escape');
    await expect(list(dispatcher)).toHaveCount(0);
    await expect(bell(dispatcher)).toBeFocused();
    await expect(banner(dispatcher), 'what was dismissed stays away').toHaveCount(0);
  });

  await test.step('the administrator sees that it was seen, changes it, and it comes back', async () => {
    await page.reload();
    await expect(fact(page, 'Details', 'Seen by')).toHaveText('1 user');
    await press(page, page.getByRole('link', { name: 'Edit' }));
    await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled();
    await lookInBothSizes(page, 'announcement-edit');
    await typeInto(page, page.getByLabel('Message'), `${message}, use C5`);
    await press(page, page.getByRole('button', { name: 'Save' }));
    await expect(page.getByText(`${title} saved`)).toBeVisible();
    await expect(banner(dispatcher)).toContainText('use C5');
  });

  await test.step('until it is deleted', async () => {
    await press(page, page.getByRole('button', { name: 'Delete' }));
    await press(page, page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }));
    await expect(page).toHaveURL('/admin/announcements');
    await expect(banner(dispatcher)).toHaveCount(0);
  });
  await elsewhere.close();
});

test('the banner moves left at 100 pixels a second for 3 loops, and holds still when it is hovered', async ({ page }) => {
  test.setTimeout(120_000);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await announce(page, { message: 'Import of cold chain files moves to 3:30 PM from Monday' });
  await announce(page, { message: 'New photo rule for damaged goods: two pictures per line', severity: 'warning' });
  await page.goto('/admin/announcements');
  const text = banner(page).locator('p').first();
  await expect(text).toHaveText(
    'New photo rule for damaged goods: two pictures per line, Import of cold chain files moves to 3:30 PM from Monday',
  );
  const motion = () =>
    text.evaluate((element) => {
      const [animation] = element.getAnimations();
      const { duration, iterations } = animation!.effect!.getTiming();
      const frames = (animation!.effect as KeyframeEffect).getKeyframes();
      return {
        speed: Math.round(element.getBoundingClientRect().width / (Number(duration) / 1000)),
        iterations,
        to: frames.at(-1)!.transform,
        state: animation!.playState,
      };
    });
  await page.mouse.move(600, 500);
  await expect.poll(motion).toEqual({ speed: 100, iterations: 3, to: 'translate(-100%)', state: 'running' });
  const left = async () => (await text.boundingBox())!.x;
  const before = await left();
  await expect.poll(left).toBeLessThan(before);
  await banner(page).hover();
  expect((await motion()).state).toBe('paused');
  await page.mouse.move(600, 500);
  expect((await motion()).state).toBe('running');
  await page.keyboard.press('Tab');
  await reach(page, page.getByRole('button', { name: 'Close news' }));
  expect((await motion()).state).toBe('paused');
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await text.evaluate((element) => {
    for (const animation of element.getAnimations()) animation.finish();
  });
  await expect(banner(page), 'it hides after the last loop').toHaveCount(0);
});

test('an announcement has its window, and the list knows its state', async ({ page }) => {
  const hour = 3_600_000;
  const at = (distance: number) => new Date(Date.now() + distance).toISOString();
  await announce(page, { title: 'Year-end stock count', message: 'Not yet', startsAt: at(hour), severity: 'warning' });
  await announce(page, { title: 'Typhoon signal 2', message: 'Over', endsAt: at(-30_000), severity: 'critical' });
  await announce(page, { title: 'Depot', message: 'Switched off', isActive: false });
  await announce(page, { title: 'Photo rule', message: 'Two pictures per line', endsAt: at(hour) });
  await page.goto('/admin/announcements');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  await expect(row('Year-end stock count')).toContainText('Scheduled');
  await expect(row('Typhoon signal 2')).toContainText('Ended');
  await expect(row('Depot')).toContainText('Off');
  await expect(row('Photo rule')).toContainText('Active');
  await expect(banner(page)).toContainText('Two pictures per line');
  for (const other of ['Not yet', 'Over', 'Switched off']) await expect(banner(page)).not.toContainText(other);
  await lookInBothSizes(page, 'announcements');
  await page.getByRole('link', { name: /^Ended/ }).click();
  await expect(page.getByText(/^1–1 of 1$/)).toBeVisible();
  await expect(row('Typhoon signal 2')).toBeVisible();
});

test('what is not dismissible comes back with the next visit', async ({ page }) => {
  await announce(page, { message: 'Wear your vest', dismissible: false });
  await page.goto('/deliveries');
  await banner(page).getByRole('button', { name: 'Close news' }).click();
  await expect(banner(page)).toHaveCount(0);
  await expect(bell(page)).toHaveAccessibleName('Announcements');
  await page.reload();
  await expect(banner(page)).toContainText('Wear your vest');
});

test('text of several lines has room under reduced motion', async ({ page }) => {
  await announce(page, { message: `Long: ${'EDSA southbound is closed. '.repeat(15)}`.trim() });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/deliveries');
  const top = await page.getByRole('banner').evaluate((bar) => bar.getBoundingClientRect().top);
  const { height } = (await banner(page).boundingBox())!;
  expect(height).toBeGreaterThan(36);
  expect(Math.abs(top - height), 'what is below begins where it ends').toBeLessThan(1);
  await look(page, 'news-banner-long', 'mobile');
});
