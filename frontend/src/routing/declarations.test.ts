import { describe, expect, it } from 'vitest';
import { checkDeclarations, type RouteEntry } from './declarations';

const page = () => Promise.resolve({ default: () => null });
const login = { name: 'login', path: '/login', page };

function check(...entries: object[]): () => void {
  return () => checkDeclarations(entries as RouteEntry[]);
}

describe('routes', () => {
  it('need a path, a page and a name', () => {
    expect(check({ path: '/a' })).toThrow(
      'Route element for "/a" is missing required props: page, name',
    );
    expect(check({ name: 'a', page })).toThrow(
      'Route element for "a" is missing required props: path',
    );
    expect(check({})).toThrow('Route element is missing required props: path, page, name');
  });

  it('need less when they redirect or stand for what is not found', () => {
    expect(check(login, { path: '/', redirect: 'login' }, { notFound: true, page })).not.toThrow();
    expect(check({ redirect: '/x' })).toThrow('is missing required props: path');
    expect(check({ notFound: true })).toThrow('Route element is missing required props: page');
  });

  it('have their path checked', () => {
    expect(check({ name: 'a', path: 'a', page })).toThrow(
      'Route path for a does not begin with a slash: "a"',
    );
  });

  it('redirect to routes that exist', () => {
    expect(check({ name: 'old', path: '/old', redirect: 'gone' })).toThrow(
      'Redirect target route "gone" does not exist for route "old"',
    );
    expect(check({ path: '/old/{id}', redirect: '/new/{id}' })).not.toThrow();
  });
});

describe('private sets', () => {
  const routes = [{ name: 'in', path: '/in', page }];

  it('need an unauthenticated route', () => {
    expect(check({ routes, unauthenticated: '' })).toThrow(
      'You must specify an `unauthenticated` route when using PrivateSet',
    );
    expect(check({ routes, unauthenticated: 'login' })).toThrow(
      'We could not find a route named login',
    );
    expect(check(login, { routes, unauthenticated: 'login' })).not.toThrow();
  });

  it.each([undefined, ''])('cannot send to a route whose path is %j', (path) => {
    expect(check({ routes, unauthenticated: 'login' }, { name: 'login', path, page })).toThrow(
      'Could not redirect to the route named login',
    );
  });

  it('cannot send to a route with parameters', () => {
    const userLogin = { name: 'login', path: '/login/{tenant}', page };
    expect(check(userLogin, { routes, unauthenticated: 'login' })).toThrow(
      'Redirecting to route "login" would require route parameters, which currently is not supported. Please choose a different route',
    );
  });

  it('are checked inside one another', () => {
    const inner = { unauthenticated: 'forbidden', routes };
    expect(check(login, { unauthenticated: 'login', routes: [inner] })).toThrow(
      'We could not find a route named forbidden',
    );
  });
});
