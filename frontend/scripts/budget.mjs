// Fails if a page has to download more than its budget before it can be used. Sizes are those of the gzipped
// build.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const KB = 1024;
const budgets = { initialJs: 180 * KB, initialCss: 12 * KB, loginJs: 200 * KB, pageJs: 45 * KB, mapJs: 460 * KB };
/** Size limits of parts that are loaded on first use because they contain a large library. */
const partJs = { 'ui/charts/plot.tsx': 125 * KB, 'query-lab/json-field.tsx': 125 * KB };

const dist = new URL('../dist/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));
const sizes = new Map();

function sizeOf(file) {
  if (!sizes.has(file)) sizes.set(file, gzipSync(readFileSync(new URL(file, dist))).length);
  return sizes.get(file);
}

/** Returns the script and style files of a chunk and of all chunks that it imports statically. */
function filesOf(key, seen = new Set(), files = new Set()) {
  if (seen.has(key)) return files;
  seen.add(key);
  const chunk = manifest[key];
  files.add(chunk.file);
  for (const css of chunk.css ?? []) files.add(css);
  for (const imported of chunk.imports ?? []) filesOf(imported, seen, files);
  return files;
}

function total(files, extension) {
  return [...files].filter((file) => file.endsWith(extension)).reduce((sum, file) => sum + sizeOf(file), 0);
}

let failed = false;
function check(what, size, budget, note = '') {
  const over = size > budget;
  failed ||= over;
  console.log(
    `${over ? 'OVER' : 'ok  '} ${what.padEnd(60)} ${(size / KB).toFixed(1).padStart(6)} of ${budget / KB} KB  ${note}`,
  );
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const initial = filesOf(entry);
check('initial script', total(initial, '.js'), budgets.initialJs);
check('initial style', total(initial, '.css'), budgets.initialCss);

for (const [key, chunk] of Object.entries(manifest)) {
  if (!chunk.isDynamicEntry) continue;
  const added = new Set([...filesOf(key)].filter((file) => !initial.has(file)));
  const adds = total(added, '.js');
  if (key.endsWith('create-map.ts')) {
    // Add the worker that draws the map, because the manifest does not list it as an import.
    const worker = readdirSync(new URL('assets/', dist)).find((file) => /^maplibre-gl-worker.*\.js$/.test(file));
    check('map with its worker', adds + sizeOf(`assets/${worker}`), budgets.mapJs);
    continue;
  }
  const part = Object.keys(partJs).find((name) => key.endsWith(name));
  if (part) {
    // Leave out files that are loaded already: those of the chunks that import this part dynamically.
    const loaders = Object.keys(manifest).filter((name) => manifest[name].dynamicImports?.includes(key));
    const there = loaders.map((name) => filesOf(name));
    const fetched = [...added].filter((file) => !there.every((files) => files.has(file)));
    check(key, total(fetched, '.js'), partJs[part]);
    continue;
  }
  check(key, sizeOf(chunk.file), budgets.pageJs, `adds ${(adds / KB).toFixed(1)} KB in all`);
  if (key.endsWith('login-page.tsx')) {
    check('login in all', adds + total(initial, '.js'), budgets.loginJs);
  }
}
process.exit(failed ? 1 : 0);
