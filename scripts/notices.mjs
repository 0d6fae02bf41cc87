// Writes THIRD-PARTY-NOTICES.txt: the third-party parts of the program, with their licenses. The program shows the
// text to people who are signed in. Fails if a part has no license, a license that deny.toml does not accept, or no
// license text.
//   node scripts/notices.mjs [--check]
//   node scripts/notices.mjs --sbom FILE    the parts as CycloneDX instead
import { writeFile } from 'node:fs/promises';
import { isTaken, rules, spdx } from './notices/licences.mjs';
import { parts } from './notices/parts.mjs';
import { sbom } from './notices/sbom.mjs';
import { settle } from './sources.mjs';

const PAGE = 'THIRD-PARTY-NOTICES.txt';
const COPYRIGHT = /^\W*(?:copyright\s.*(?:\d{4}|\(c\)|©)|\(c\)\s+(?:copyright|\d{4})|©|all rights reserved\.?$)/i;
const KINDS = {
  crate: 'Rust crates', package: 'Packages of the browser application', font: 'Fonts', data: 'Map data', library: 'Other libraries',
};
/** For each license, a pattern that matches its text and the text of no other license. */
const SAYS = {
  MIT: /Permission is hereby granted, free of charge/,
  'Apache-2.0': /^\s*Apache License\s+Version 2\.0/,
  'BSD-3-Clause': /Redistribution and use[\s\S]*Neither the name/,
};

const all = parts();
const at = process.argv.indexOf('--sbom');
if (at > 0) {
  // The bill of materials needs no license texts, so the npm packages need not be installed.
  await writeFile(process.argv[at + 1], sbom(all, new Date()));
  process.exit();
}

const taken = rules();
const wrong = all.flatMap((part) => {
  const what = `${part.name} ${part.version}`;
  if (!part.licence) return `${what} names no licence`;
  if (!isTaken(part, taken)) return `${what} is under ${part.licence}, which deny.toml does not take`;
  if (part.hasOwn || part.holder) return [];
  return `${what} has no file with its licence. Look whose it is, and add it to WITHOUT_FILE in scripts/notices/parts.mjs`;
});
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exit(1);
}

/** Texts that differ only in copyright lines, spaces and punctuation count as one. */
function grouped() {
  const groups = new Map();
  for (const part of all) {
    for (const text of new Set(part.texts.map((it) => it.replaceAll('\r', '').replaceAll(/[ \t]+$/gm, '').replace(/^\n+/, '').trimEnd()))) {
      const lines = text.split('\n');
      const body = lines.filter((line) => !COPYRIGHT.test(line)).join('\n').replaceAll(/\n{3,}/g, '\n\n').replace(/^\n+/, '').trimEnd();
      const key = body.toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ').trim();
      const group = groups.get(key) ?? { body, of: [] };
      group.of.push({ part, copyright: lines.filter((line) => COPYRIGHT.test(line)).map((line) => line.trim()) });
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

const groups = grouped();
for (const part of all.filter((it) => it.holder?.licence)) {
  const { licence, holder } = part.holder;
  const group = groups.filter((it) => SAYS[licence].test(it.body)).toSorted((a, b) => b.of.length - a.of.length)[0];
  group.of.push({ part, copyright: [`Copyright ${holder}`] });
}

const numbers = new Map();
groups.forEach((group, index) => group.of.forEach(({ part }) => numbers.set(part, [...(numbers.get(part) ?? []), index + 1])));

function line(part) {
  const texts = numbers.has(part) ? `text ${[...new Set(numbers.get(part))].join(', ')}` : `in ${part.holder.holder}`;
  return `${part.name} ${part.version}: ${spdx(part.licence)}; ${texts}${part.url ? `; ${part.url}` : ''}`;
}

function block({ body, of }, index) {
  const said = new Map();
  for (const { part, copyright } of of) {
    const key = copyright.join('\n');
    said.set(key, [...(said.get(key) ?? []), part.name]);
  }
  const whose = [...said].flatMap(([copyright, names]) => [`Of ${[...new Set(names)].join(', ')}`, ...(copyright ? copyright.split('\n').map((it) => `  ${it}`) : [])]);
  return ['-'.repeat(80), `Text ${index + 1}`, '', ...whose, '', body, ''];
}

const page = [
  'Third-party notices of Waybill',
  '',
  'Waybill contains what is listed here. Each part is the work of its authors and stays under its licence; below the list',
  'are the texts of the licences, each once, with the parts that it is of.',
  '',
  ...Object.entries(KINDS).flatMap(([kind, title]) => [title, '', ...all.filter((part) => part.kind === kind).map(line), '']),
  ...groups.flatMap(block),
].join('\n');

await settle(PAGE, `${page.trimEnd()}\n`, 'node scripts/notices.mjs');
