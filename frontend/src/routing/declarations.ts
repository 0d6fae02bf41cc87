import type { ComponentType, ReactNode } from 'react';
import type { RoleCheck } from '@/auth/roles';
import { paramsForRoute, validatePath } from './paths';

export type PageImport = () => Promise<{ default: ComponentType }>;

/** A screen. Title, subtitle and quick search are in its navigation record, found by the name. */
export interface PageRoute {
  name: string;
  path: string;
  page: PageImport;
}

/** `redirect` is a route name, or a path template that gets all parameters. */
export interface RedirectRoute {
  name?: string;
  path: string;
  redirect: string;
}

export interface NotFoundRoute {
  notFound: true;
  page: PageImport;
}

/** Routes that need sign-in, or one of the roles. Others go to the route named `unauthenticated`. */
export interface PrivateSet {
  unauthenticated: string;
  roles?: RoleCheck;
  /** Drawn around the routes, for those who may see them only. */
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

/** Paths by route name; of two routes with one name the first counts. */
export function namedPaths(entries: readonly RouteEntry[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const route of flattenRoutes(entries)) {
    if ('name' in route && route.name && !paths.has(route.name)) paths.set(route.name, route.path);
  }
  return paths;
}

/** The path a refused user is sent to, or an error that says why there is none. */
export function unauthenticatedPath(paths: ReadonlyMap<string, string>, name: string): string {
  if (!name) {
    throw new Error('You must specify an `unauthenticated` route when using PrivateSet');
  }
  const path = paths.get(name);
  if (!paths.has(name)) throw new Error(`We could not find a route named ${name}`);
  // One that was declared without a path, or with an empty one.
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

/** Throws the first thing that is wrong with the declared routes. */
export function checkDeclarations(entries: readonly RouteEntry[]): void {
  checkEntries(entries, namedPaths(entries));
}
