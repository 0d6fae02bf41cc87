import { expect, it } from 'vitest';
import { watchUse } from './in-use';

function openPage() {
  const page = Object.assign(new EventTarget(), { hidden: false });
  return { page, wasUsed: watchUse(page as unknown as Document) };
}

it('is used when it opens, and then no more', () => {
  const { wasUsed } = openPage();
  expect([wasUsed(), wasUsed()]).toEqual([true, false]);
});

it.each(['pointerdown', 'keydown', 'wheel', 'click', 'visibilitychange'])('is used with a %s', (event) => {
  const { page, wasUsed } = openPage();
  wasUsed();
  page.dispatchEvent(new Event(event));
  expect([wasUsed(), wasUsed()]).toEqual([true, false]);
});

it('is not used when it goes out of sight', () => {
  const { page, wasUsed } = openPage();
  wasUsed();
  page.hidden = true;
  page.dispatchEvent(new Event('visibilitychange'));
  expect(wasUsed()).toBe(false);
});
