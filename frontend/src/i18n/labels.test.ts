import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = new URL('./locales/en/', import.meta.url);
const src = new URL('../', import.meta.url);

interface Text {
  file: string;
  /** The key without a plural suffix. */
  key: string;
  suffix: string;
  text: string;
}

function textsOf(file: string, value: unknown, path: string[] = []): Text[] {
  if (typeof value === 'string') {
    const [, key = '', suffix = ''] = /^(.*?)(_zero|_one|_other)?$/.exec(path.join('.')) ?? [];
    return [{ file, key, suffix, text: value }];
  }
  return Object.entries(value as object).flatMap(([name, below]) => textsOf(file, below, [...path, name]));
}

const texts = readdirSync(folder).flatMap((name) =>
  textsOf(name.replace('.json', ''), JSON.parse(readFileSync(new URL(name, folder), 'utf8'))),
);
const named = ({ file, key }: Text) => `${file}:${key}`;

const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !/(\.test\.tsx?|\.d\.ts)$/.test(path) && !path.startsWith('test/'))
  .map((path) => ({
    path,
    code: readFileSync(new URL(path, src), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'`])\/\/.*/g, ''),
  }));

it('calls the number of a delivery Delivery Doc in every text, and the invoice Reference Doc', () => {
  const all = texts.map(({ text }) => text);
  const docs = all.filter((text) => /delivery doc/i.test(text));
  expect(docs.length).toBeGreaterThan(10);
  expect(docs.filter((text) => !/Delivery Docs?\b/.test(text))).toEqual([]);
  expect(all.filter((text) => /\b(?:delivery|document) (?:id|numbers?)\b|invoice/i.test(text))).toEqual([]);
});

it('has both forms of each plural', () => {
  const has = new Set(texts.map((text) => named(text) + text.suffix));
  const halves = texts.filter(({ suffix }) => suffix !== '');
  expect(halves.length).toBeGreaterThan(50);
  expect(
    halves.map(named).filter((key) => !has.has(`${key}_one`) || !has.has(`${key}_other`) || has.has(key)),
  ).toEqual([]);
});

const PART = String.raw`!?[\w-]+(?:\.[\w-]+)*`;

/** Returns the translation keys in a source file: whole keys, groups, and patterns for template strings. */
function keysIn(code: string) {
  const files = [...code.matchAll(/(?:useTranslation\(|\bns: )([^)\n}]*)/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/'([\w-]+)'/g)].map(([, file = '']) => file),
  );
  const literals = [...code.matchAll(/'([\w:.-]+)'|i18nKey="([\w:.-]+)"/g)].map(([, one, other]) => one ?? other ?? '');
  const templates = [...code.matchAll(/`([\w:.-]*(?:\$\{[^}`]*\}[\w:.-]*)+)`/g)].map(([, template = '']) => template);
  const patterns = templates
    .filter((template) => /[a-zA-Z]{2}/.test(template.replaceAll(/\$\{[^}]*\}/g, '')) && /[.:]/.test(template))
    .map((template) => template.replaceAll('.', String.raw`\.`).replaceAll(/\$\{[^}]*\}/g, PART));
  // If a template is only `${group}.${name}`, any string literal of the file can be the group.
  const isOpen = templates.some((template) => /^\$\{[^}]*\}\.\$\{[^}]*\}$/.test(template));
  const groups = isOpen ? literals : literals.filter((literal) => literal.includes(':'));
  return {
    files: new Set(files),
    literals: new Set(literals),
    groups: new Set(groups),
    patterns: patterns.map((pattern) => new RegExp(`^${pattern}$`)),
  };
}

it('has no text that nothing shows', () => {
  const known = sources.map(({ code }) => keysIn(code));
  const shows = ({ file, key }: Text) =>
    known.some(({ files, literals, groups, patterns }) => {
      const names = files.has(file) ? [`${file}:${key}`, key] : [`${file}:${key}`];
      return names.some(
        (name) =>
          literals.has(name) ||
          groups.has(name.slice(0, name.lastIndexOf('.'))) ||
          patterns.some((pattern) => pattern.test(name)),
      );
    });
  expect(texts.filter((text) => !shows(text)).map(named)).toEqual([]);
});

// The types of i18next accept any key if a default value is passed. They also accept a plural key without `count`.
it('leaves no key to chance', () => {
  expect(sources.filter(({ code }) => /\bdefaultValue:/.test(code)).map(({ path }) => path)).toEqual([]);
  const isPlural = new Map(texts.map((text) => [named(text), text.suffix !== '']));
  const wrong = sources.flatMap(({ path, code }) => {
    const { files } = keysIn(code);
    const takesCount = (key: string) => {
      const found = [key, ...[...files].map((file) => `${file}:${key}`)].filter((name) => isPlural.has(name));
      return found.length > 0 && found.every((name) => isPlural.get(name));
    };
    return [...code.matchAll(/\b(?:t|textOf)\(\s*'([\w:.-]+)'([^;]*)/g)]
      .filter(([, key = '', rest = '']) => takesCount(key) && !/^,[\s\S]{0,160}?\bcount\b/.test(rest))
      .map(([, key]) => `${path}: ${key}`);
  });
  expect(wrong).toEqual([]);
});
