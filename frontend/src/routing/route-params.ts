import { createContext, use } from 'react';
import { matchPath, type Params, parseSearch } from './paths';
import type { RouteName, RoutePaths } from './route-paths';
import type { PathParams } from './routes';

/** Path and query parameters merged, the path's own first; undefined when the path does not match. */
export function readParams(path: string, pathname: string, search: string): Params | undefined {
  const found = matchPath(path, pathname);
  if (!found.match) return undefined;
  return { ...parseSearch(search), ...found.params };
}

export const ParamsContext = createContext<Params>({});

type RouteParams<Name extends RouteName> = PathParams<RoutePaths[Name]> &
  Readonly<Record<string, string | undefined>>;

/** The parameters of the current route, cast by their declared types; others are query text. */
export function useRouteParams<Name extends RouteName>(_name: Name): RouteParams<Name> {
  return use(ParamsContext) as RouteParams<Name>;
}
