// Prints how long each stage of the test command took, and its ten slowest tests, as Markdown.
//   node scripts/test-times.mjs STAGES [--keep]
//
// STAGES is a file with a line for each stage: its name, a tab, and whole seconds. The tests come from the
// report that each runner writes; a report older than the run is left out. --keep also writes the page to
// docs/test-times.md.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, relative } from 'node:path';
import { root } from './sources.mjs';

const SLOWEST = 10;
const [stagesFile, option] = process.argv.slice(2);
const stages = readFileSync(stagesFile, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));
const began = statSync(stagesFile).birthtimeMs;

/** The reports by the beginning of the stage's name. Each reader returns `{ test, seconds }[]`. */
const REPORTS = {
  'frontend: unit tests': ['frontend/results/unit.json', ofVitest],
  'rust: tests': [`${process.env.CARGO_TARGET_DIR ?? 'target'}/nextest/ci/junit.xml`, ofNextest],
  contract: ['contract/results/contract.json', (text) => JSON.parse(text)],
  'end to end': ['e2e/results/e2e.json', ofPlaywright],
};

function ofVitest(text) {
  return JSON.parse(text).testResults.flatMap((file) =>
    file.assertionResults.map((it) => ({
      test: `${relative(join(root, 'frontend/src'), file.name)} › ${it.fullName}`,
      seconds: (it.duration ?? 0) / 1000,
    })),
  );
}

function ofNextest(text) {
  const cases = text.matchAll(/<testcase name="([^"]*)" classname="([^"]*)"[^>]*? time="([\d.]+)"/g);
  return [...cases].map(([, name, program, time]) => ({ test: `${program} ${name}`, seconds: Number(time) }));
}

function ofPlaywright(text) {
  const walk = (suite) => [
    ...(suite.suites ?? []).flatMap(walk),
    ...(suite.specs ?? []).map((spec) => ({
      test: `${spec.file} › ${spec.title}`,
      seconds: spec.tests.flatMap((it) => it.results).reduce((sum, it) => sum + it.duration, 0) / 1000,
    })),
  ];
  return JSON.parse(text).suites.flatMap(walk);
}

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, '0')}`;
const plain = (text) => text.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&').replaceAll('|', '\\|');

const total = stages.reduce((sum, [, seconds]) => sum + Number(seconds), 0);
const out = [`| Stage | Time | Tests |`, `|---|--:|--:|`];
const slowest = [];
for (const [name, seconds] of stages) {
  const [, [path, parse] = []] = Object.entries(REPORTS).find(([start]) => name.startsWith(start)) ?? [];
  const report = path && join(root, path);
  const fresh = report && existsSync(report) && statSync(report).mtimeMs > began;
  const tests = fresh ? parse(readFileSync(report, 'utf8')) : [];
  out.push(`| ${name} | ${clock(Number(seconds))} | ${tests.length || ''} |`);
  if (tests.length === 0) continue;
  slowest.push('', `## ${name}: the ${SLOWEST} slowest`, '', `| Seconds | Test |`, `|--:|---|`);
  tests.sort((one, other) => other.seconds - one.seconds);
  for (const it of tests.slice(0, SLOWEST)) slowest.push(`| ${it.seconds.toFixed(1)} | ${plain(it.test)} |`);
}
out.push(`| **All** | **${clock(total)}** | |`, ...slowest);
console.log(`\n${out.join('\n')}\n`);

if (option === '--keep') {
  const head = [
    '# How long the tests take',
    '',
    '`just test keep` writes this page: the stages of one whole run, and the slowest tests of each.',
    `Taken on ${new Date().toISOString().slice(0, 10)} with ${cpus().length} processors.`,
    '',
  ];
  writeFileSync(join(root, 'docs/test-times.md'), `${[...head, ...out].join('\n')}\n`);
}
