import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const src = fileURLToPath(new URL('..', import.meta.url));
// The folders from bottom to top. A folder may import from its own rank and from those before it in this list.
const ranks = [
  ['lib', 'i18n'],
  ['ui', 'data', 'auth', 'routing'],
  ['list', 'form', 'domain', 'shell'],
  ['features'],
  ['app'],
];
const rankOf = new Map(ranks.flatMap((areas, rank) => areas.map((area) => [area, rank] as const)));

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .filter((file) => !file.startsWith('test/') && file.includes('/'));

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8');
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, specifier = '']) => specifier,
  );
  return specifiers.flatMap((specifier) => {
    if (specifier.startsWith('@/')) return [specifier.slice(2)];
    if (!specifier.startsWith('.')) return [];
    return [relative(src, resolve(src, dirname(file), specifier))];
  });
}

const areaOf = (path: string) => path.split('/')[0] ?? '';
const featureOf = (path: string) => path.split('/').slice(0, 2).join('/');

it('lets imports point down only, and never from feature to feature', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => {
        const own = rankOf.get(areaOf(file));
        const other = rankOf.get(areaOf(target));
        if (own === undefined || other === undefined || other > own) return true;
        return areaOf(file) === 'features' && areaOf(target) === 'features'
          ? featureOf(file) !== featureOf(target)
          : false;
      })
      .map((target) => `${file} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

it('loads parts lazily in one way only, which survives that their code is missing', () => {
  const isBare = (file: string) => /\blazy\(/.test(readFileSync(join(src, file), 'utf8'));
  expect(files.filter(isBare)).toEqual(['ui/lazy-part.tsx']);
});

it('has no barrel files', () => {
  expect(files.filter((file) => /(?:^|\/)index\.tsx?$/.test(file))).toEqual([]);
});
