import { matchRoutes, resolvePath } from 'react-router';
import { describe, expect, it } from 'vitest';
import {
  matchPath,
  paramsForRoute,
  parseSearch,
  replaceParams,
  toRouterPattern,
  validatePath,
  withTrailingSlash,
} from './paths';
import cases from './router-cases.json';

// The tested functions have different signatures, so they are called through this loose one.
type AnyFunction = (...args: never[]) => unknown;

const functions: Record<string, AnyFunction> = {
  matchPath,
  paramsForRoute,
  parseSearch,
  replaceParams,
  validatePath,
};

function observe(fn: string, args: unknown[]): unknown {
  try {
    return { value: functions[fn]?.(...(args as never[])) ?? null };
  } catch (error) {
    return { throws: (error as Error).message };
  }
}

describe('the contract table', () => {
  it.each(cases.map(({ fn, args, expect: wanted }) => ({ fn, args, wanted })))(
    '$fn $args',
    ({ fn, args, wanted }) => {
      expect(observe(fn, args)).toEqual(wanted);
    },
  );
});

describe('values in paths', () => {
  it('survive the way there and back', () => {
    for (const customerName of ['A/B', 'A B', '100%', 'Ñandú & Söhne', '$&', '?x=1#y']) {
      const address = replaceParams('/customer/{customerName}', { customerName });
      const { pathname } = new URL(address, 'http://localhost');
      expect(matchPath('/customer/{customerName}', pathname)).toEqual({
        match: true,
        params: { customerName },
      });
    }
  });

  it.each(['.', '..', '...', '%2E', '%2e.', '%252E', '.%2E', '%25', 'a..'])(
    'are not lost to a router or a browser that resolves dots: %s',
    (customerName) => {
      const path = '/customer/{customerName}';
      const resolved = resolvePath(replaceParams(path, { customerName }), '/deliveries').pathname;
      const { pathname } = new URL(resolved, 'http://localhost');
      expect(matchRoutes([{ path: toRouterPattern(path) }], pathname)).toHaveLength(1);
      expect(matchPath(path, pathname)).toEqual({ match: true, params: { customerName } });
    },
  );

  it('keep the slashes of a glob', () => {
    expect(replaceParams('/files/{path...}', { path: 'a b/c?d' })).toBe('/files/a%20b/c%3Fd');
    expect(matchPath('/files/{path...}', '/files/a%20b/c')).toEqual({
      match: true,
      params: { path: 'a b/c' },
    });
  });

  it('that cannot be decoded do not match', () => {
    expect(matchPath('/customer/{customerName}', '/customer/%E0%A4%A')).toEqual({ match: false });
  });

  it('may not be null', () => {
    expect(() => replaceParams('/tags/{tag}', { tag: null })).toThrow("Missing parameter 'tag'");
  });
});

it('takes the dots of a path as dots', () => {
  expect(matchPath('/a.b/{id}', '/axb/1')).toEqual({ match: false });
});

it('limits the length of a path', () => {
  expect(() => validatePath(`/${'x'.repeat(1999)}`, 'long')).not.toThrow();
  expect(() => validatePath(`/${'x'.repeat(2000)}`, 'long')).toThrow(
    'Route path for long is too long to process at 2001 characters, limit is 2000 characters.',
  );
});

it('takes the first of a repeated query parameter', () => {
  expect(parseSearch('?a=1&a=2&__proto__=x')).toEqual(
    Object.fromEntries([
      ['a', '1'],
      ['__proto__', 'x'],
    ]),
  );
});

describe('trailing slash', () => {
  it.each([
    ['never', '/about/', '/about'],
    ['never', '/about', '/about'],
    ['never', '/', '/'],
    ['never', '//', '/'],
    ['always', '/about', '/about/'],
    ['always', '/about/', '/about/'],
    ['always', '/', '/'],
    ['preserve', '/about/', '/about/'],
    ['preserve', '/about', '/about'],
  ] as const)('%s: %s becomes %s', (rule, from, to) => {
    expect(withTrailingSlash(from, rule)).toBe(to);
  });
});

describe('react-router patterns', () => {
  it('are made of whole segments', () => {
    expect(toRouterPattern('/')).toBe('/');
    expect(toRouterPattern('/view/{id:Int}/item/{no}')).toBe('/view/:id/item/:no');
    expect(toRouterPattern('/files/{path...}')).toBe('/files/*');
  });

  it.each(['/post/id-{id}', '/a/{a}{b}', '/a/{a...}/b'])('cannot say %s', (path) => {
    expect(() => toRouterPattern(path)).toThrow('does not fill a whole segment');
  });
});
