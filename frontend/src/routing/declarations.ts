import type { ComponentType, ReactNode } from 'react';
import type { RoleCheck } from '@/auth/roles';
import { paramsForRoute, validatePath } from './paths';

export type PageImport = () => Promise<{ default: ComponentType }>;

/** A screen. Its title, subtitle and quick search are in the navigation record of the same name. */
export interface PageRoute {
  name: string;
  path: string;
  page: PageImport;
}

/** `redirect` is a route name, or a path template that receives all parameters. */
export interface RedirectRoute {
  name?: string;
  path: string;
  redirect: string;
}

export interface NotFoundRoute {
  notFound: true;
  page: PageImport;
}

/** Routes that require sign-in or one of the roles. Other users are redirected to the route `unauthenticated`. */
export interface PrivateSet {
  unauthenticated: string;
  roles?: RoleCheck;
  /** Wraps the routes, for users with access only. */
  wrap?: ComponentType<{ children: ReactNode }>;
  routes: readonly RouteEntry[];
}

export type RouteEntry = PageRoute | RedirectRoute | NotFoundRoute | PrivateSet;

export function isPrivateSet(entry: RouteEntry): entry is PrivateSet {
  return 'routes' in entry;
}

export function flattenRoutes(entries: readonly RouteEntry[]): Exclude<RouteEntry, PrivateSet>[] {
  return entries.flatMap((entry) => (isPrivateSet(entry) ? flattenRoutes(entry.routes) : [entry]));
}

/** Paths by route name; the first of duplicate names wins. */
export function namedPaths(entries: readonly RouteEntry[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const route of flattenRoutes(entries)) {
    if ('name' in route && route.name && !paths.has(route.name)) paths.set(route.name, route.path);
  }
  return paths;
}

/** The path that users without access are redirected to; throws if it is undeclared. */
export function unauthenticatedPath(paths: ReadonlyMap<string, string>, name: string): string {
  if (!name) {
    throw new Error('You must specify an `unauthenticated` route when using PrivateSet');
  }
  const path = paths.get(name);
  if (!paths.has(name)) throw new Error(`We could not find a route named ${name}`);
  // The route is declared without a path, or with an empty one.
  if (!path) throw new Error(`Could not redirect to the route named ${name}`);
  if (paramsForRoute(path).length > 0) {
    throw new Error(
      `Redirecting to route "${name}" would require route parameters, which currently is not supported. Please choose a different route`,
    );
  }
  return path;
}

function checkRoute(route: Exclude<RouteEntry, PrivateSet>, paths: ReadonlyMap<string, string>) {
  const props: Partial<PageRoute & RedirectRoute & NotFoundRoute> = route;
  const required = [
    !props.notFound && 'path',
    !props.redirect && 'page',
    !props.notFound && !props.redirect && 'name',
  ] as const;
  const missing = required.filter((key) => key && !props[key]);
  const label = props.name || props.path;
  if (missing.length > 0) {
    const which = label ? ` for "${label}"` : '';
    throw new Error(`Route element${which} is missing required props: ${missing.join(', ')}`);
  }
  if (props.path) validatePath(props.path, label ?? '');
  if (props.redirect && !props.redirect.startsWith('/') && !paths.has(props.redirect)) {
    throw new Error(
      `Redirect target route "${props.redirect}" does not exist for route "${label}"`,
    );
  }
}

function checkEntries(entries: readonly RouteEntry[], paths: ReadonlyMap<string, string>): void {
  for (const entry of entries) {
    if (isPrivateSet(entry)) {
      unauthenticatedPath(paths, entry.unauthenticated);
      checkEntries(entry.routes, paths);
    } else {
      checkRoute(entry, paths);
    }
  }
}

/** Throws the first error in the declared routes. */
export function checkDeclarations(entries: readonly RouteEntry[]): void {
  checkEntries(entries, namedPaths(entries));
}
