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
/** Of these everything below is a call. */
const proxiedFolders = ['/objects', '/logo', '/delivery-forms', '/cubejs-api'];

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Test files that replace modules: they would replace them for every file that shares their modules. */
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
    // Left to Node, its two entries would become two copies with a context each.
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
 * Leaves out what Tailwind adds for browsers older than those of `cssTarget`: all of these know `@property` and mix
 * colours.
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
          // A screen may share its path with the start of a call: only the call itself is proxied.
          `^${path}(\\?.*)?$`,
          { target: gateway, ws: path === '/graphql' },
        ]),
      ),
      ...Object.fromEntries(proxiedFolders.map((path) => [`^${path}/`, { target: gateway }])),
      '^/upload-deliveries(\\?.*)?$': {
        target: gateway,
        // A GET of this path is the import screen, a POST is the web action.
        bypass: (request) => (request.method === 'POST' ? undefined : '/index.html'),
      },
    },
  },
  // As the map's own, which is one.
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    cssTarget: ['chrome111', 'safari16.4', 'firefox128'],
    manifest: true,
    // Small files would become data: addresses, which the content security policy refuses.
    assetsInlineLimit: 0,
    // Kilobytes of the map before it is packed; `scripts/budget.mjs` holds the sizes that count.
    chunkSizeWarningLimit: 1200,
  },
  test: {
    restoreMocks: true,
    unstubGlobals: true,
    pool: 'threads',
    // By default one core stays idle.
    maxWorkers: availableParallelism(),
    reporters: ['default', ['json', { outputFile: 'results/unit.json' }]],
    // Starting jsdom takes longer than most tests: only files with markup in them pay for it.
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
