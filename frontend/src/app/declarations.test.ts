import { expect, it } from 'vitest';
import { resources } from '@/i18n/resources';
import { checkDeclarations, namedPaths } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';
import { navigationRecords } from '@/shell/records';
import { declarations } from './declarations';


it('holds to the rules of declarations', () => {
  expect(() => checkDeclarations(declarations)).not.toThrow();
});

it('declares every named route, at its path', () => {
  expect(Object.fromEntries(namedPaths(declarations))).toEqual(routePaths);
});

function textAt(path: string): unknown {
  return path
    .replace('navigation:', '')
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], resources.navigation);
}

it.each(Object.values(navigationRecords))('$name has its texts', (record) => {
  const { quickSearch } = record;
  const keys = [
    record.title,
    record.subtitle,
    ...(quickSearch ? [quickSearch.label, quickSearch.placeholder] : []),
  ];
  for (const key of keys) expect(textAt(key), key).toEqual(expect.any(String));
});
