// Writes docs/config.md from services/kit/defaults.toml, the only list of settings.
//   node scripts/docs-config.mjs [--check]
import { read, settle } from './sources.mjs';

const intro = [];
const sections = [{ name: '', keys: [] }];
let comment = [];
let inIntro = true;

for (const line of read('services/kit/defaults.toml').split('\n')) {
  const section = line.match(/^\[(\w+)\]$/);
  const key = line.match(/^(\w+) = (.+)$/);
  if (line.startsWith('#')) {
    (inIntro ? intro : comment).push(line.replace(/^# ?/, ''));
  } else if (section) {
    comment = [];
    sections.push({ name: section[1], keys: [] });
  } else if (key) {
    sections.at(-1).keys.push({ name: key[1], value: key[2], text: comment.join(' ') });
    comment = [];
  } else if (line.trim()) {
    throw new Error(`services/kit/defaults.toml: cannot read "${line}"`);
  } else {
    inIntro = false;
  }
}

const cell = (text) => text.replaceAll('|', '\\|');
const out = [
  '# Configuration',
  '',
  '<!-- Made from services/kit/defaults.toml by scripts/docs-config.mjs; edit there. -->',
  '',
  ...intro.map((line) => line.replaceAll('<', '&lt;')),
  '',
  '`waybill config show` prints what is in force and where each value comes from, secrets masked;',
  '`waybill config check` only says what is wrong, all of it at once. Unknown keys are refused. A key',
  'without a meaning of its own belongs to the one above it, or is explained by its name.',
  '',
];
for (const section of sections) {
  if (!section.keys.length) continue;
  out.push(section.name ? `## ${section.name}` : '## (top)', '');
  out.push('| Key | Default | Meaning |', '|---|---|---|');
  for (const { name, value, text } of section.keys) {
    const key = section.name ? `${section.name}.${name}` : name;
    const secret = name.endsWith('_file') && !text ? name.slice(0, -'_file'.length) : '';
    const meaning = secret ? `A file that holds \`${secret}\`.` : text;
    out.push(`| \`${key}\` | \`${cell(value)}\` | ${cell(meaning)} |`);
  }
  out.push('');
}
await settle('docs/config.md', `${out.join('\n').trimEnd()}\n`, 'node scripts/docs-config.mjs');
