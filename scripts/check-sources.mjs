// Checks what neither a compiler nor a linter does: the length of source files, where transactions begin, what
// migrations lock, classes that a right-to-left language would have to mirror, icon buttons without a tooltip, and copies of
// what should exist only once or in few places.
import { files, read, withoutTests } from './sources.mjs';

const LIMIT = 450;
const SOURCE = /\.(?:rs|ts|tsx|mjs|js|css|proto|sh|py)$/;
const GENERATED = /graphql-env\.d\.ts$/;
const MARKUP = /^frontend\/src\/.*(?<!\.test)\.tsx$/;
const PHYSICAL =
  /[\s'"`:]-?(?:m[lr]-[\w[.]+|p[lr]-[\w[.]+|text-(?:left|right)|border-[lr](?:-\w+)?|rounded-[lr]-\w+)(?=[\s'"`])/;
/**
 * What should exist only once or in few places of the browser application: the markup that gives it away, and the files
 * that may contain it.
 */
const ONE_OF = [
  {
    markup: /\srole(?:="|: ')combobox['"]|from 'downshift'/,
    instead: 'use useSuggestions of list/suggestions.tsx',
    files: ['list/suggestions.tsx'],
  },
  {
    markup: /<table\b/,
    instead: 'describe it for the list engine, or for ui/table.tsx if it is only read or edited in place',
    files: [
      'list/list-table.tsx',
      'ui/table.tsx',
      // The printed form has its own table, because its lines have to equal those of the PDF.
      'features/delivery-forms/form-paper.tsx',
    ],
  },
  {
    markup: /\srole="grid"/,
    instead: 'use EditGrid of ui/edit-grid.tsx',
    files: ['ui/edit-grid.tsx'],
  },
  {
    markup: /\smaxLength=\{/,
    instead: 'it cuts what is pasted, so check the text with atMost of form/limits.ts, or let the server refuse it',
    // Text that is only searched for, and digits.
    files: [
      'features/tracker/driver-list.tsx',
      'form/date-field.tsx',
      'form/quantity.tsx',
      'list/resource-list.tsx',
      'list/text-values-editor.tsx',
      'shell/palette-dialog.tsx',
    ],
  },
];
const PRESSED = /<(button|a|Link|RecordLink|NavLink|Button|PopoverTrigger)(?=\s)/g;
const TRANSACTIONS = 'services/store/src/tx.rs';
const MIGRATION = /^services\/\w+\/src\/(?:migration|migrate)\/(?:m\d+_\w+)\.rs$/;
/** Migrations from before the rule about locks. */
const BEFORE_THE_RULE = new Set([
  'analytics/src/migration/m0003_outcomes', 'auth/src/migration/m0002_administration', 'auth/src/migration/m0003_audit_chain',
  'auth/src/migration/m0004_names', 'deliveries/src/migration/m0002_outcomes',
  'settings/src/migration/m0007_shared_queries', 'store/src/migrate/m0002_failed_events', 'upload/src/migration/m0004_warnings',
  'upload/src/migration/m0006_undo', 'upload/src/migration/m0010_review',
].map((name) => `services/${name}.rs`));

let failed = false;
function complain(text) {
  console.error(text);
  failed = true;
}

/**
 * Whether a migration builds an index on a table that has rows, inside a transaction: it changes a table as well, or makes
 * none. The table stays locked until the index is built.
 */
function locksWhileIndexing(source) {
  const isConcurrent = /fn use_transaction\(&self\) -> Option<bool> \{\s*Some\(false\)/.test(source);
  const isOfNewTable = source.includes('.create_table(') && !source.includes('.alter_table(');
  return source.includes('.create_index(') && !isConcurrent && !isOfNewTable;
}

/** Returns where the opening tag at `from` ends. An arrow or comparison inside braces does not end it. */
function tagEnd(source, from) {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '{') depth += 1;
    else if (source[at] === '}') depth -= 1;
    else if (source[at] === '>' && depth === 0) return at;
  }
  return source.length;
}

/**
 * Returns the lines of buttons and links that show only an icon, at least sometimes, and have a name but no
 * tooltip.
 */
function iconsWithoutTip(source) {
  return [...source.matchAll(PRESSED)].flatMap(({ index, 1: tag }) => {
    const end = tagEnd(source, index);
    const head = source.slice(index, end);
    if (!/\saria-label=/.test(head) || /\sdata-tip\b/.test(head) || head.endsWith('/')) return [];
    let children = source.slice(end + 1, source.indexOf(`</${tag}>`, end));
    for (let inner = ''; inner !== children; ) {
      inner = children;
      children = children.replace(/<(\w+)\b[^<>]*(?:\/>|>\s*<\/\1>)/g, '');
    }
    const shown = children.replaceAll(/\{!?\w+ && [^{}]*\}/g, '').trim();
    return shown === '' ? [source.slice(0, index).split('\n').length] : [];
  });
}

for (const path of files()) {
  if (!SOURCE.test(path) || GENERATED.test(path)) continue;
  const whole = read(path);
  // A file must not be too long to read at once. Tests at its end do not count.
  const source = path.endsWith('.rs') ? withoutTests(whole) : whole;
  const lines = source.trimEnd().split('\n').length;
  if (lines > LIMIT) complain(`${path} has ${lines} lines; ${LIMIT} is the limit, so split it`);
  const mirrored = MARKUP.test(path) && PHYSICAL.exec(whole);
  if (mirrored) complain(`${path} has ${mirrored[0].slice(1)}: write ms, me, ps, pe, start or end, so that it turns with the language`);
  for (const { markup, instead, files: known } of MARKUP.test(path) ? ONE_OF : []) {
    const isKnown = known.some((file) => path === `frontend/src/${file}`);
    const has = markup.test(whole);
    if (has && !isKnown) complain(`${path} has a ${markup.exec(whole)[0].trim()} of its own: ${instead}`);
    if (!has && isKnown) {
      complain(`${path} has none of ${markup} any more: take it off the list in scripts/check-sources.mjs`);
    }
  }
  for (const line of MARKUP.test(path) ? iconsWithoutTip(whole) : []) {
    complain(`${path}:${line} shows an icon and says nowhere what it does: use IconButton, or give it data-tip`);
  }
  if (MIGRATION.test(path) && !BEFORE_THE_RULE.has(path) && locksWhileIndexing(whole)) {
    complain(`${path} keeps a table locked while it builds an index: build it concurrently, in a migration of its own (CONTRIBUTING.md)`);
  }
  // No code can begin a transaction without this trait.
  if (path.endsWith('.rs') && path !== TRANSACTIONS && /\bTransactionTrait\b/.test(whole)) {
    complain(`${path} uses TransactionTrait; transactions begin by store::Db::begin`);
  }
}
process.exit(failed ? 1 : 0);
