// What every test has: a running Waybill (`product`), a page that must log no problem, and a way to sign in.
import { isDeepStrictEqual } from 'node:util';
import {
  test as base,
  expect,
  type BrowserContext,
  type ConsoleMessage,
  type Request,
  type Response,
} from '@playwright/test';
import { startProduct, type Product } from '../../contract/product.mjs';
import { note, noteRequest } from '../../contract/secrets.mjs';
import { createAdmin, signIn } from './api.ts';
import { Mailbox } from './mailbox.ts';

export { expect };

/** The number of demo deliveries. They have every status and are from the last weeks. */
const SEEDED = '400';

/** Makes the list of deliveries open on the All view, as if the user had used that view last. */
export async function lookedAtAll(context: BrowserContext) {
  await context.addInitScript(() => {
    // An empty page has no storage.
    if (window.origin === 'null') return;
    const view = 'waybill.list.deliveries.view';
    if (localStorage.getItem(view) === null) localStorage.setItem(view, '"all"');
  });
}

interface Quiet {
  /** Allows matching console messages, for a test that breaks something on purpose. */
  expectNoise: (pattern: RegExp) => void;
}

interface Fixtures {
  quiet: Quiet;
  /** Who uses the browser. For `admin`, there is a session before the first page opens. */
  as: 'nobody' | 'admin';
  session: void;
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

interface WorkerFixtures {
  /** Whether the product is empty, without even an account, instead of having demo data. */
  fresh: boolean;
  /** Names a product that no other file uses, for a file whose counts other tests would change. */
  apart: string;
  /** Whether the product sends mail, which then arrives in the mailbox. */
  mails: boolean;
  mailbox: Mailbox;
  product: Product;
  /** The administrator's session, if there is one that no test has ended. */
  shared: { cookies: Cookies };
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  fresh: [false, { scope: 'worker', option: true }],
  // Playwright starts a separate worker for each value.
  apart: ['', { scope: 'worker', option: true }],

  mails: [false, { scope: 'worker', option: true }],
  mailbox: [
    async ({}, use) => {
      const mailbox = await Mailbox.open();
      await use(mailbox);
      await mailbox.close();
    },
    { scope: 'worker' },
  ],

  // Each worker has its own product, so that nothing but the running test changes what it shows.
  product: [
    async ({ fresh, mails, mailbox }, use) => {
      const env = {
        // The receivers in these tests run on this machine, so allow private addresses.
        WAYBILL__DELIVERIES__PRIVATE_ENDPOINTS: 'true',
        ...(mails && {
          WAYBILL__MAIL__SMTP_URL: mailbox.url,
          WAYBILL__MAIL__FROM: 'Waybill <no-reply@waybill.example>',
          WAYBILL__HTTP__PUBLIC_URL: '{url}',
        }),
      };
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
      // A content security policy may block something without a console message, so log each violation.
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
      // When the product stops, none of these may be in its log.
      context.on('request', (request: Request) => noteRequest({ url: request.url(), body: request.postData() }));
      await use({ expectNoise: (pattern) => expected.push(pattern) });
      (await context.cookies()).forEach(({ value }) => note(value));
      const wrong = noise.filter((line) => !expected.some((pattern) => pattern.test(line)));
      expect(wrong, 'the console and the security policy have nothing to complain about').toEqual([]);
    },
    { auto: true },
  ],

  shared: [async ({}, use) => use({ cookies: [] }), { scope: 'worker' }],
  as: ['nobody', { option: true }],
  // Checking a password is slow on purpose. So all tests share one session until one of them signs out.
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

/** `test` with a product that nobody has used: it has no account and no delivery. */
export const untouched = test.extend<object, Pick<WorkerFixtures, 'fresh'>>({
  fresh: [async ({}, use) => use(true), { scope: 'worker' }],
});
