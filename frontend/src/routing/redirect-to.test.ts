import { expect, it } from 'vitest';
import { refusalTarget, safeRedirectTo } from './redirect-to';

it('carries the way back, with only the search encoded', () => {
  expect(refusalTarget('/login', { pathname: '/private', search: '' })).toBe(
    '/login?redirectTo=/private',
  );
  expect(refusalTarget('/login', { pathname: '/private', search: '?bazinga=yeah' })).toBe(
    '/login?redirectTo=/private%3Fbazinga%3Dyeah',
  );
});

it.each(['/', '/deliveries?filters=abc&limit=10', '/view-delivery/A%2FB', '/a//b'])(
  'follows %s',
  (address) => {
    expect(safeRedirectTo(address)).toBe(address);
  },
);

it.each([
  null,
  undefined,
  '',
  'deliveries',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\u007f/evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  ' /deliveries',
])('does not follow %j', (address) => {
  expect(safeRedirectTo(address)).toBeUndefined();
});
