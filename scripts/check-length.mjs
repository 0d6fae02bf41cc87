// No source file is longer than a person reads in one go. Tests at the end of a file do not count.
import { files, read, withoutTests } from './sources.mjs';

const LIMIT = 500;
const SOURCE = /\.(?:rs|ts|tsx|mjs|js|css|proto|sh|py)$/;
const GENERATED = /graphql-env\.d\.ts$/;

let failed = false;
for (const path of files()) {
  if (!SOURCE.test(path) || GENERATED.test(path)) continue;
  const source = path.endsWith('.rs') ? withoutTests(read(path)) : read(path);
  const lines = source.trimEnd().split('\n').length;
  if (lines <= LIMIT) continue;
  console.error(`${path} has ${lines} lines; ${LIMIT} is the limit, so split it`);
  failed = true;
}
process.exit(failed ? 1 : 0);
