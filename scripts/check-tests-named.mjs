// Checks that the tests exist which docs/spec-coverage.md, docs/promises.md and the two pages of findings
// name as proofs.
//
// A name is written `path/of/file::title`. In TypeScript, the title is that of an `it` or a `describe`; in
// Rust, it is the name of a function or of a test made by a macro.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { read, root } from './sources.mjs';

const PAGES = ['docs/spec-coverage.md', 'docs/promises.md', 'docs/screens-findings.md', 'docs/rust-findings.md'];
const NAME = /`([\w./-]+\.(?:rs|ts|tsx|mjs))(?:::([^`]+))?`/g;

function has(path, title) {
  const source = read(path);
  if (path.endsWith('.rs')) {
    return new RegExp(String.raw`(?:\bfn\s+|\bmod\s+|!\(\s*)${title}\b`).test(source);
  }
  const quoted = [title, title.replaceAll("'", "\\'"), title.replaceAll('"', '\\"')];
  return quoted.some((it) => [`'${it}'`, `"${it}"`, `\`${it}\``].some((text) => source.includes(text)));
}

let failed = false;
let count = 0;
for (const page of PAGES) {
  for (const [, path, title] of read(page).matchAll(NAME)) {
    count += 1;
    const missing = !existsSync(join(root, path));
    if (!missing && (!title || has(path, title))) continue;
    console.error(`${page}: ${missing ? `there is no ${path}` : `${path} has no test "${title}"`}`);
    failed = true;
  }
}
const states = { covered: 0, 'in part': 0, open: 0 };
for (const [, proof] of read(PAGES[0]).matchAll(/^\| .* \| (.*) \|$/gm)) {
  if (proof === 'Test' || proof === 'nothing to test') continue;
  states[proof === 'open' ? 'open' : proof.includes('open:') ? 'in part' : 'covered'] += 1;
}
const summary = Object.entries(states).map(([state, sentences]) => `${sentences} ${state}`);
if (!failed) console.log(`${count} named tests exist; sentences of the specification: ${summary.join(', ')}`);
process.exit(failed ? 1 : 0);
