import { expect, expectTypeOf, it } from 'vitest';
import { type PathParams, routes } from './routes';

it('builds addresses by name', () => {
  expect(routes.login()).toBe('/login');
  expect(routes.deliveries({ filters: 'eyJhIjoxfQ==' })).toBe('/deliveries?filters=eyJhIjoxfQ%3D%3D');
  expect(routes.viewDelivery({ deliveryId: 'DR/1 2' })).toBe('/view-delivery/DR%2F1%202');
});

it('raises an error for a parameter that is missing', () => {
  // @ts-expect-error -- the types reject it too
  expect(() => routes.viewDelivery({})).toThrow(
    "Missing parameter 'deliveryId' for route '/view-delivery/{deliveryId}' when generating a navigation URL.",
  );
});

it('knows the parameters of a path and their types', () => {
  expectTypeOf<PathParams<'/a/{id:Int}/{on:Boolean}/{name}/{rest...}'>>().toEqualTypeOf<
    Record<'id', number> & Record<'on', boolean> & Record<'name', string> & Record<'rest', string>
  >();
});
