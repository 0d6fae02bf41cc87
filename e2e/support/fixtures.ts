// What every test has: a product, a page that must stay quiet, and a way in.
import { isDeepStrictEqual } from 'node:util';
import { test as base, expect, type BrowserContext, type ConsoleMessage, type Response } from '@playwright/test';
import { startProduct, type Product } from '../../contract/product.mjs';
import { createAdmin, signIn } from './api.ts';

export { expect };

/** Deliveries in every state, of the last weeks. */
const SEEDED = '400';

/** Opens the list of deliveries on all of them, as for somebody who looked at all last. */
export async function lookedAtAll(context: BrowserContext) {
  await context.addInitScript(() => {
    // An empty page has no storage.
    if (window.origin === 'null') return;
    const view = 'waybill.list.deliveries.view';
    if (localStorage.getItem(view) === null) localStorage.setItem(view, '"all"');
  });
}

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

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

interface WorkerFixtures {
  /** Demo data or nothing at all, not even an account. */
  fresh: boolean;
  product: Product;
  /** The session of the administrator, once there is one that no test ended. */
  shared: { cookies: Cookies };
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  fresh: [false, { scope: 'worker', option: true }],

  // One for each worker, so that nothing but the test that runs changes what it shows.
  product: [
    async ({ fresh }, use) => {
      // Receivers of these tests are on this machine.
      const env = { WAYBILL__DELIVERIES__PRIVATE_ENDPOINTS: 'true' };
      const product = await startProduct(fresh ? { env } : { env, first: [['seed', '--deliveries', SEEDED]] });
      process.env.WAYBILL_URL = product.url;
      process.env.WAYBILL_INGEST = product.ingest;
      if (!fresh) await createAdmin(product.url);
      await use(product);
      expect(await product.stop(), 'the product ends as it should when it is asked to').toBe(0);
    },
    { scope: 'worker', auto: true, timeout: 90_000 },
  ],
  baseURL: async ({ product }, use) => use(product.url),

  quiet: [
    async ({ context }, use) => {
      await lookedAtAll(context);
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

  shared: [async ({}, use) => use({ cookies: [] }), { scope: 'worker' }],
  as: ['nobody', { option: true }],
  // Checking a password is slow on purpose, so one session serves all tests until one of them signs out.
  session: [
    async ({ as, context, shared }, use) => {
      if (as === 'nobody') return use();
      if (shared.cookies.length > 0) await context.addCookies(shared.cookies);
      else await signIn(context.request);
      const given = await context.cookies();
      await use();
      const left = await context.cookies();
      shared.cookies = isDeepStrictEqual(left, given) ? left : [];
    },
    { auto: true },
  ],
});

/** The same in front of a product that nobody touched: no account, no delivery. */
export const untouched = test.extend<object, Pick<WorkerFixtures, 'fresh'>>({
  fresh: [async ({}, use) => use(true), { scope: 'worker' }],
});
