// Checks docs/newcomer.md: each answer is a file that exists, and the page where the reader found it names
// that file.
//   node scripts/check-newcomer.mjs
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { read, root } from './sources.mjs';

const PAGES = { glossary: 'docs/glossary.md', architecture: 'ARCHITECTURE.md' };
const ROW = /^\| (.+?\?)\*? \| `(.+?)` \| (\w+) \|$/gm;

/**
 * A page may shorten `services/deliveries/src/commands/import/mod.rs` to `commands/import/` or `src/import/`.
 */
function isNamed(page, file) {
  const parts = file.replace(/\/mod\.rs$/, '/').split('/');
  return parts.slice(0, -1).some((_, from) => parts.length - from >= 2 && page.includes(parts.slice(from).join('/')));
}

const rows = [...read('docs/newcomer.md').matchAll(ROW)];
const wrong = rows.flatMap(([, question, file, where]) => {
  if (!existsSync(join(root, file))) return [`${question} ${file} is not there`];
  return isNamed(read(PAGES[where]), file) ? [] : [`${question} ${PAGES[where]} does not name ${file}`];
});
if (rows.length < 20) wrong.push(`docs/newcomer.md has ${rows.length} questions, and should have twenty`);
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exit(1);
}
