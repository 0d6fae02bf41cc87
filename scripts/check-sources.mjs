// What neither a compiler nor a linter sees: how long a source file is, and where transactions begin.
import { files, read, withoutTests } from './sources.mjs';

const LIMIT = 500;
const SOURCE = /\.(?:rs|ts|tsx|mjs|js|css|proto|sh|py)$/;
const GENERATED = /graphql-env\.d\.ts$/;
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
  // Without the trait nobody can begin one.
  if (path.endsWith('.rs') && path !== TRANSACTIONS && /\bTransactionTrait\b/.test(whole)) {
    complain(`${path} uses TransactionTrait; transactions begin by store::Db::begin`);
  }
}
process.exit(failed ? 1 : 0);
