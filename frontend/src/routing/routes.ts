import { createContext, use } from 'react';
import { type BuildArgs, matchPath, type Params, parseSearch, replaceParams } from './paths';
import { type RouteName, type RoutePaths, routePaths } from './route-paths';

/** Parses path and query parameters, with path parameters taking precedence; undefined if the path does not match. */
export function readParams(path: string, pathname: string, search: string): Params | undefined {
  const found = matchPath(path, pathname);
  if (!found.match) return undefined;
  return { ...parseSearch(search), ...found.params };
}

export const ParamsContext = createContext<Params>({});

type RouteParams<Name extends RouteName> = PathParams<RoutePaths[Name]> &
  Readonly<Record<string, string | undefined>>;

/** The parameters of the current route. Path parameters have their declared types; query parameters are strings. */
export function useRouteParams<Name extends RouteName>(_name: Name): RouteParams<Name> {
  return use(ParamsContext) as RouteParams<Name>;
}

type Cast<Type> = Type extends 'Int' | 'Float' ? number : Type extends 'Boolean' ? boolean : string;

type OneParam<Inside extends string> = Inside extends `${infer Name}...`
  ? Record<Name, string>
  : Inside extends `${infer Name}:${infer Type}`
    ? Record<Name, Cast<Type>>
    : Record<Inside, string>;

/** The path parameters of a declared path, typed. */
export type PathParams<Path extends string> =
  Path extends `${string}{${infer Inside}}${infer Rest}`
    ? OneParam<Inside> & PathParams<Rest>
    : unknown;

type Builder<Path extends string> = unknown extends PathParams<Path>
  ? (args?: BuildArgs) => string
  : (args: PathParams<Path> & BuildArgs) => string;

type Builders = { readonly [Name in RouteName]: Builder<RoutePaths[Name]> };

/** URL builders for named routes: `routes.viewDelivery({ deliveryId })`. */
export const routes = Object.fromEntries(
  Object.entries(routePaths).map(([name, path]) => [
    name,
    (args?: BuildArgs) => replaceParams(path, args),
  ]),
) as unknown as Builders;
