// What neither a compiler nor a linter sees: how long a source file is, where transactions begin, classes that would
// have to be mirrored for a language that runs from right to left, and second ones of what there is one of.
import { files, read, withoutTests } from './sources.mjs';

const LIMIT = 450;
const SOURCE = /\.(?:rs|ts|tsx|mjs|js|css|proto|sh|py)$/;
const GENERATED = /graphql-env\.d\.ts$/;
const MARKUP = /^frontend\/src\/.*(?<!\.test)\.tsx$/;
// Not converted yet: these are being rebuilt.
const PHYSICAL_STILL = /^frontend\/src\/features\/imports\//;
const PHYSICAL =
  /[\s'"`:]-?(?:m[lr]-[\w[.]+|p[lr]-[\w[.]+|text-(?:left|right)|border-[lr](?:-\w+)?|rounded-[lr]-\w+)(?=[\s'"`])/;
/** What there is one of in the browser, by the markup it cannot do without, and the files that have it. */
const ONE_OF = [
  {
    markup: /\srole(?:="|: ')combobox['"]|from 'downshift'/,
    instead: 'use useSuggestions of list/suggestions.tsx',
    files: ['list/suggestions.tsx'],
  },
  {
    markup: /<table\b/,
    instead: 'describe it for the list engine, or for ui/table.tsx if it is only read',
    // Behind the engine: tables that were drawn by hand before. None is added.
    files: [
      'list/list-table.tsx',
      'ui/table.tsx',
      'ui/charts/chart-panel.tsx',
      'features/deliveries/delivery-items.tsx',
      'features/deliveries/outcomes/lines-panel.tsx',
      'features/deliveries/edit/items-table.tsx',
      'features/forms/form-paper.tsx',
      'features/query-lab/result-pane.tsx',
      'features/reports/report-page.tsx',
      'features/tracker/driver-list.tsx',
    ],
    // Being rebuilt around the engine.
    except: /^frontend\/src\/features\/imports\//,
  },
];
const TRANSACTIONS = 'services/store/src/tx.rs';

let failed = false;
function complain(text) {
  console.error(text);
  failed = true;
}

for (const path of files()) {
  if (!SOURCE.test(path) || GENERATED.test(path)) continue;
  const whole = read(path);
  // No file is longer than a person reads in one go. Tests at its end do not count.
  const source = path.endsWith('.rs') ? withoutTests(whole) : whole;
  const lines = source.trimEnd().split('\n').length;
  if (lines > LIMIT) complain(`${path} has ${lines} lines; ${LIMIT} is the limit, so split it`);
  const mirrored = MARKUP.test(path) && !PHYSICAL_STILL.test(path) && PHYSICAL.exec(whole);
  if (mirrored) complain(`${path} has ${mirrored[0].slice(1)}: write ms, me, ps, pe, start or end, so that it turns with the language`);
  for (const { markup, instead, files: known, except } of MARKUP.test(path) ? ONE_OF : []) {
    const isKnown = known.some((file) => path === `frontend/src/${file}`) || except?.test(path);
    const has = markup.test(whole);
    if (has && !isKnown) complain(`${path} has a ${markup.exec(whole)[0].trim()} of its own: ${instead}`);
    if (!has && known.some((file) => path === `frontend/src/${file}`)) {
      complain(`${path} has none of ${markup} any more: take it off the list in scripts/check-sources.mjs`);
    }
  }
  // Without the trait nobody can begin one.
  if (path.endsWith('.rs') && path !== TRANSACTIONS && /\bTransactionTrait\b/.test(whole)) {
    complain(`${path} uses TransactionTrait; transactions begin by store::Db::begin`);
  }
}
process.exit(failed ? 1 : 0);
