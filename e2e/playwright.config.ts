import { defineConfig } from '@playwright/test';

// A browser that is installed already: nothing is downloaded for these tests.
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

export default defineConfig({
  testDir: 'specs',
  outputDir: 'results/artifacts',
  // Each with a product of its own, which waits often enough for two cores to serve both.
  workers: 2,
  fullyParallel: false,
  // A test that needs a second attempt is wrong.
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json', { outputFile: 'results/e2e.json' }], ['./support/looks-reporter.ts']],
  use: {
    browserName: 'chromium',
    headless: true,
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    // Far from the organisation's zone, so that a time shown in the browser's own is noticed.
    timezoneId: 'America/New_York',
    colorScheme: 'light',
    // Animations end at once; what they lead to is the same.
    contextOptions: { reducedMotion: 'reduce' },
    // Writing one doubles the time a run takes: TRACE=1 when a failure needs a closer look.
    trace: process.env.TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
