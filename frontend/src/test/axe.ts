import axe from 'axe-core';
import { expect } from 'vitest';

/** Fails on any finding of axe. Contrast and page rules need a browser, so they are left to it. */
export async function expectAccessible(root: Element = document.body): Promise<void> {
  const { violations } = await axe.run(root, {
    rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
  });
  const findings = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`);
  expect(findings).toEqual([]);
}
