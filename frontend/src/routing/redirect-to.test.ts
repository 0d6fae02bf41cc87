import fc from 'fast-check';
import { createMemoryRouter } from 'react-router';
import { expect, it } from 'vitest';
import { readRedirectTo, refusalTarget, safeRedirectTo } from './redirect-to';
import { routes } from './routes';

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
  '/%5Cevil.example',
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

/** Returns the final URL after redirects. */
async function visit(address: string) {
  const router = createMemoryRouter([{ path: '*', element: null }], { initialEntries: ['/'] });
  await router.navigate(address);
  const { pathname, search } = router.state.location;
  return { pathname, search };
}

it.each(['A/B 100%', 'What?', 'Sun & Sea', '%3F', '1+1=2', '東京/株式会社'])(
  'comes back to the customer %s',
  async (customerName) => {
    const from = await visit(routes.viewCustomer({ customerName, limit: 50 }));
    const login = await visit(refusalTarget('/login', from));
    expect(readRedirectTo(login.search)).toBe(from.pathname + from.search);
  },
);

it('comes back to any id and any search', async () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 });
  await fc.assert(
    fc.asyncProperty(text, text, async (deliveryId, filters) => {
      const from = await visit(routes.viewDelivery({ deliveryId, filters }));
      const login = await visit(refusalTarget('/login', from));
      expect(readRedirectTo(login.search)).toBe(from.pathname + from.search);
      const again = await visit(routes.login({ redirectTo: from.pathname + from.search }));
      expect(readRedirectTo(again.search)).toBe(from.pathname + from.search);
    }),
  );
});

it.each(['', '?redirectTo=', '?redirectTo=//evil.example', '?redirectTo=%2F%2Fevil.example', '?redirectTo=/a%3F%zz'])(
  'reads no way back from %j',
  (search) => {
    expect(readRedirectTo(search)).toBeUndefined();
  },
);
