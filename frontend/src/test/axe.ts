import axe from 'axe-core';
import { expect } from 'vitest';

/** Whether the element is a whole page: the shell is rendered, and no menu or list floats outside of a landmark. */
function isPage(root: Element): boolean {
  return (
    root === document.body &&
    document.querySelector('main') !== null &&
    document.querySelector('[role="menu"], [role="listbox"]') === null
  );
}

/** Fails on any axe violation. Color contrast needs a real browser; landmarks are checked on whole pages only. */
export async function expectAccessible(root: Element = document.body): Promise<void> {
  const { violations } = await axe.run(root, {
    rules: { 'color-contrast': { enabled: false }, region: { enabled: isPage(root) } },
  });
  const findings = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`);
  expect(findings).toEqual([]);
}
