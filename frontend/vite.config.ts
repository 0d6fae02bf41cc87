import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';

const gateway = 'http://127.0.0.1:8080';
const proxied = [
  '/auth',
  '/graphql',
  '/request-upload-link',
  '/request-logo-upload-link',
  '/export/deliveries',
  '/export/driver-positions',
  '/geocode',
  '/health',
  '/load',
  '/logo',
  '/third-party-notices.txt',
];
/** Every address below these paths belongs to the gateway. */
const proxiedFolders = ['/objects', '/logo', '/delivery-forms', '/cubejs-api'];

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Test files that replace modules. They run isolated, so that other files keep their own modules. */
const filesThatMock = readdirSync(here('./src'), { recursive: true, encoding: 'utf8' })
  .map((file) => `src/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.tsx'))
  .filter((file) => /\bvi\.(?:mock|doMock|hoisted|resetModules)\(/.test(readFileSync(here(file), 'utf8')));

function screens(name: string, test: UserWorkspaceConfig['test']): UserWorkspaceConfig & { extends: true } {
  return {
    extends: true,
    test: {
      name,
      environment: 'jsdom',
      include: ['src/**/*.test.tsx'],
      testTimeout: 60_000,
      setupFiles: ['src/test/setup.ts'],
      ...test,
    },
    // Node would load each of the two entries as a separate copy of react-router, with a context of its own.
    resolve: {
      alias: [
        {
          find: 'react-router/dom',
          replacement: here('./node_modules/react-router/dist/development/dom-export.mjs'),
        },
        {
          find: /^react-router$/,
          replacement: here('./node_modules/react-router/dist/development/index.mjs'),
        },
      ],
    },
  };
}

/**
 * Removes the fallbacks that Tailwind adds for older browsers. All browsers of `cssTarget` support `@property` and
 * `color-mix`.
 */
const withoutFallbacks: Plugin = {
  name: 'css-without-fallbacks',
  apply: 'build',
  enforce: 'post',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'asset' || !file.fileName.endsWith('.css')) continue;
      file.source = String(file.source)
        .replace(/@layer properties\{@supports[^{]*\{[^{}]*\{[^{}]*\}\}\}/, '')
        .replace(/@supports \(color:color-mix\(in lab, ?red, ?red\)\)\{((?:[^{}]|\{[^{}]*\})*)\}/g, '$1');
    }
  },
};

export default defineConfig({
  plugins: [react(), tailwindcss(), withoutFallbacks],
  resolve: { alias: { '@': here('./src') } },
  server: {
    proxy: {
      ...Object.fromEntries(
        proxied.map((path) => [
          // Match the whole path, because the path of a screen may begin with a proxied path, and screens must not be
          // proxied.
          `^${path}(\\?.*)?$`,
          { target: gateway, ws: path === '/graphql' },
        ]),
      ),
      ...Object.fromEntries(proxiedFolders.map((path) => [`^${path}/`, { target: gateway }])),
      '^/upload-deliveries(\\?.*)?$': {
        target: gateway,
        // At this path, a GET is the import screen and a POST is the web action.
        bypass: (request) => (request.method === 'POST' ? undefined : '/index.html'),
      },
    },
  },
  // The map's own worker is an ES module, too.
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    cssTarget: ['chrome111', 'safari16.4', 'firefox128'],
    manifest: true,
    // Do not inline small files as data: addresses, which the content security policy refuses.
    assetsInlineLimit: 0,
    // In kilobytes before compression, large enough for the map. `scripts/budget.mjs` checks the sizes that matter.
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        // What every page needs comes in two files instead of one for each set of pages that share a module, which
        // compresses better. The libraries apart, because they change less often than the application.
        codeSplitting: {
          groups: [
            { name: 'libraries', tags: ['$initial'], test: /node_modules/, priority: 1 },
            { name: 'index', tags: ['$initial'] },
            // What each form needs, in one file for the same reason.
            { name: 'controls', test: /src\/(form\/rule-message|ui\/(field|field-lock|input|panel|skeleton))\.tsx?$/ },
          ],
        },
      },
    },
  },
  test: {
    restoreMocks: true,
    unstubGlobals: true,
    pool: 'threads',
    // Use all cores; by default, one stays idle.
    maxWorkers: availableParallelism(),
    reporters: ['default', ['json', { outputFile: 'results/unit.json' }]],
    // Start jsdom only for files with markup, because starting it takes longer than most tests.
    projects: [
      {
        extends: true,
        test: {
          name: 'logic',
          environment: 'node',
          include: ['src/**/*.test.ts'],
          isolate: false,
        },
      },
      screens('screens', { exclude: filesThatMock, isolate: false }),
      screens('screens-mocked', { include: filesThatMock, isolate: true }),
    ],
  },
});
