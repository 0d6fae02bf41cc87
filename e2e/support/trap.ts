// Notices whatever a stored text does besides being shown, and reads what a page shows.
import type { BrowserContext, Page } from '@playwright/test';
import { ADDRESS, FUNCTION } from './payloads.ts';

const REPORT = 'reportPolicy';

/** Notes frames and windows, which no page of the product opens by itself. */
function watch(page: Page, caught: string[]) {
  page.on('frameattached', () => caught.push(`a frame on ${page.url()}`));
  page.on('popup', (popup) => caught.push(`a window: ${popup.url()}`));
}

/**
 * Sets a trap in all pages of a browser, including those that are opened later, and returns the list to which it adds
 * what it notices: calls of the known function, requests for the known address or to another host than `own`, reports of
 * the security policy, errors that nothing catches, dialogs, frames and windows.
 */
export async function setTrap(context: BrowserContext, own: string): Promise<string[]> {
  const caught: string[] = [];
  const { origin } = new URL(own);
  await context.exposeBinding(FUNCTION, ({ frame }) => void caught.push(`ran on ${frame.url()}`));
  await context.exposeBinding(REPORT, (_, report: string) => void caught.push(`security policy: ${report}`));
  await context.addInitScript((name) => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { effectiveDirective, blockedURI, sourceFile, lineNumber } = event;
      (window as any)[name](`${effectiveDirective} ${blockedURI} ${sourceFile}:${lineNumber} on ${location.href}`);
    });
  }, REPORT);
  context.on('console', (message) => {
    if (/content security policy/i.test(message.text())) caught.push(`security policy: ${message.text()}`);
  });
  context.on('weberror', (error) => caught.push(`threw: ${error.error().message}`));
  context.on('request', (request) => {
    const url = new URL(request.url());
    const isWithin = ['blob:', 'data:', 'about:'].includes(url.protocol);
    const isKnown = url.pathname === ADDRESS || url.pathname.startsWith(`${ADDRESS}/`);
    if (!isWithin && (url.origin !== origin || isKnown)) caught.push(`asked for ${url.href}`);
  });
  context.on('dialog', async (dialog) => {
    caught.push(`a dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  for (const page of context.pages()) watch(page, caught);
  context.on('page', (page) => watch(page, caught));
  return caught;
}

/** Removes white space, which a page may add to a text or leave out. */
export const squeezed = (text: string) => text.replace(/\s/gu, '');

/** Returns what a page shows as text, squeezed: visible texts, values of fields, and options. Opens what is folded. */
export async function shown(page: Page): Promise<string> {
  const text = await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    const texts: (string | null)[] = [];
    const isVisible = (element: Element | null) => element?.checkVisibility({ visibilityProperty: true });
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (isVisible(walker.currentNode.parentElement)) texts.push(walker.currentNode.nodeValue);
    }
    for (const field of document.querySelectorAll<HTMLInputElement>('input, textarea')) {
      if (isVisible(field)) texts.push('\n', field.value);
    }
    for (const select of document.querySelectorAll('select')) {
      if (isVisible(select)) texts.push('\n', ...[...select.options].map((option) => option.text));
    }
    return texts.join('');
  });
  return squeezed(text);
}

/** Elements that no page of the product has, so that they come from a text. */
const STRANGE =
  'iframe, frame, frameset, object, embed, applet, portal, base, math, marquee, bgsound, plaintext, ' +
  'meta[http-equiv], script:not([src]), [srcdoc], [formaction], [ping]';

/** Returns elements of a page that a text made, or that would run one. */
export const strange = (page: Page): Promise<string[]> =>
  page.evaluate((never) => {
    const ADDRESSES = ['href', 'xlink:href', 'src', 'action', 'data', 'poster'];
    const runs = (element: Element) =>
      element.getAttributeNames().some((name) => {
        const value = element.getAttribute(name) ?? '';
        return name.startsWith('on') || (ADDRESSES.includes(name) && /^\s*(?:javascript|vbscript|data:text)/i.test(value));
      });
    const all = [...document.querySelectorAll('*')].filter((element) => element.matches(never) || runs(element));
    return all.map((element) => element.outerHTML.slice(0, 200));
  }, STRANGE);
