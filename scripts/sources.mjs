// Lists the files that the checks read: those that git tracks or would add or, without git, the whole tree.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const SKIPPED = new Set(['.git', 'target', 'node_modules', 'dist', 'data']);

function walk(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : walk(path);
    return [path];
  });
}

/** Returns the sorted paths of all source files, relative to the root. */
export function files() {
  let list;
  try {
    const git = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
    const stdio = ['ignore', 'pipe', 'ignore'];
    list = execFileSync('git', git, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26, stdio }).split('\0');
  } catch {
    list = walk('');
  }
  return list.filter((path) => path && existsSync(join(root, path))).toSorted();
}

export function read(path) {
  return readFileSync(join(root, path), 'utf8');
}

const TEST_FILE = /(?:^|\/)(?:tests?\/|testing\.rs$|tests\.rs$|[^/]*_tests\.rs$|contract\.rs$|probe\.rs$)/;

/** Whether a Rust file contains tests or test doubles, according to its name. */
export function isTestFile(path) {
  return TEST_FILE.test(path.replace(/^services\/[^/]+\/src\//, '').replace(/^gateway\/src\//, ''));
}

/** Returns a Rust source without its tests, which come last by convention. */
export function withoutTests(source) {
  const at = source.search(/^#\[cfg\(test\)\]\n(?:#!?\[[^\n]*\]\n)*mod \w+ \{/m);
  return at < 0 ? source : source.slice(0, at);
}

/** Writes a generated page. With --check, fails if it differs from the existing one. */
export async function settle(path, text, how) {
  const { writeFile } = await import('node:fs/promises');
  const absolute = join(root, path);
  if (!process.argv.includes('--check')) {
    await writeFile(absolute, text);
    return;
  }
  if (existsSync(absolute) && read(path) === text) return;
  console.error(`${path} is not what the sources say; run: ${how}`);
  process.exit(1);
}
