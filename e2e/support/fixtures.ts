// What every test has: the product's address, a page that must stay quiet, and a way in.
import { test as base, expect, type ConsoleMessage, type Response } from '@playwright/test';
import { startProduct, type Product } from '../../contract/product.mjs';
import { signIn } from './api.ts';

export { expect };

interface Quiet {
  /** A test that breaks something on purpose says what the console may then hold. */
  expectNoise: (pattern: RegExp) => void;
}

interface Fixtures {
  quiet: Quiet;
  /** Who sits in front of the browser: `admin` has a session before the first page. */
  as: 'nobody' | 'admin';
  session: void;
}

export const test = base.extend<Fixtures>({
  baseURL: async ({}, use) => use(process.env.WAYBILL_URL),

  quiet: [
    async ({ context }, use) => {
      const noise: string[] = [];
      const expected: RegExp[] = [];
      // A violation may stop something without a trace in the console of the page.
      await context.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) => {
          const { violatedDirective, blockedURI, sourceFile, lineNumber } = event;
          console.error(`security policy: ${violatedDirective} ${blockedURI} ${sourceFile}:${lineNumber}`);
        });
      });
      const onConsole = (message: ConsoleMessage) => {
        if (message.type() === 'error' || message.type() === 'warning') {
          noise.push(`${message.type()}: ${message.text()} (${message.location().url})`);
        }
      };
      const onResponse = (response: Response) => {
        if (response.status() >= 500) noise.push(`${response.status()} from ${response.url()}`);
      };
      context.on('console', onConsole);
      context.on('weberror', (error) => noise.push(`not caught: ${error.error().stack ?? error.error()}`));
      context.on('response', onResponse);
      await use({ expectNoise: (pattern) => expected.push(pattern) });
      const wrong = noise.filter((line) => !expected.some((pattern) => pattern.test(line)));
      expect(wrong, 'the console and the security policy have nothing to complain about').toEqual([]);
    },
    { auto: true },
  ],

  as: ['nobody', { option: true }],
  session: [
    async ({ as, context }, use) => {
      if (as === 'admin') await signIn(context.request);
      await use();
    },
    { auto: true },
  ],
});

/** The same in front of a product that nobody touched: no account, no delivery. */
export const untouched = test.extend<object, { product: Product }>({
  product: [
    async ({}, use) => {
      const product = await startProduct();
      await use(product);
      expect(await product.stop(), 'the product ends as it should when it is asked to').toBe(0);
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ product }, use) => use(product.url),
});
