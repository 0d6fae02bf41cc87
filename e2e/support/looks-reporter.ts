// Compares the looks that a full run took (screenshots, checked by axe) with the table in `looks.ts`.
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { everyLook } from './looks.ts';

const NARROWING = /^(?:-g|--grep.*|--shard.*|--last-failed|--only-changed.*|--test-list.*)$/;

export default class LooksReporter implements Reporter {
  private whole = false;
  private readonly taken = new Map<string, number>();

  onBegin({ rootDir }: FullConfig, suite: Suite) {
    const run = new Set(suite.allTests().map(({ location }) => basename(location.file)));
    const all = readdirSync(rootDir).filter((name) => name.endsWith('.spec.ts'));
    this.whole = all.every((name) => run.has(name)) && !process.argv.some((argument) => NARROWING.test(argument));
  }

  onTestEnd({ repeatEachIndex }: TestCase, { annotations }: TestResult) {
    // A test that `--repeat-each` repeats takes its looks again. Count them once.
    if (repeatEachIndex > 0) return;
    for (const { type, description = '' } of annotations) {
      if (type === 'look') this.taken.set(description, (this.taken.get(description) ?? 0) + 1);
    }
  }

  async onEnd({ status }: FullResult): Promise<{ status: 'failed' } | undefined> {
    const wanted = everyLook();
    const twice = [...this.taken].filter(([, times]) => times > 1).map(([look]) => `taken more than once: ${look}`);
    const unknown = [...this.taken.keys()].filter((look) => !wanted.includes(look)).map((look) => `not in the table: ${look}`);
    // Report missing looks only if no test failed: a failed test may have stopped before it took its looks.
    const complete = this.whole && status === 'passed';
    const missing = complete ? wanted.filter((look) => !this.taken.has(look)).map((look) => `not taken: ${look}`) : [];
    const wrong = [...missing, ...twice, ...unknown];
    if (wrong.length === 0) {
      if (complete) console.log(`  ${wanted.length} looks were taken, one of each screen, theme and size`);
      return undefined;
    }
    console.error(`\nThe looks differ from e2e/support/looks.ts:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
    return { status: 'failed' };
  }

  printsToStdio() {
    return false;
  }
}
