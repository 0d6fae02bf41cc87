import { defineConfig } from '@playwright/test';

// The browser is already installed, so these tests download nothing.
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

export default defineConfig({
  testDir: 'specs',
  outputDir: 'results/artifacts',
  // Each worker starts its own Waybill. The tests mostly wait, so two cores are enough for both workers.
  workers: 2,
  fullyParallel: false,
  // A test that passes only at the second attempt is a broken test.
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
    // Far from the organization's time zone, so that tests notice times shown in the browser's zone.
    timezoneId: 'America/New_York',
    colorScheme: 'light',
    // Animations are skipped and leave the same final state.
    contextOptions: { reducedMotion: 'reduce' },
    // Writing a trace doubles the duration of a run. Set TRACE=1 when a failure needs a closer look.
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
