import { type BuildArgs, replaceParams } from './paths';
import { type RouteName, type RoutePaths, routePaths } from './route-paths';

type Cast<Type> = Type extends 'Int' | 'Float' ? number : Type extends 'Boolean' ? boolean : string;

type OneParam<Inside extends string> = Inside extends `${infer Name}...`
  ? Record<Name, string>
  : Inside extends `${infer Name}:${infer Type}`
    ? Record<Name, Cast<Type>>
    : Record<Inside, string>;

/** The path parameters of a declared path, cast by their types. */
export type PathParams<Path extends string> =
  Path extends `${string}{${infer Inside}}${infer Rest}`
    ? OneParam<Inside> & PathParams<Rest>
    : unknown;

type Builder<Path extends string> = unknown extends PathParams<Path>
  ? (args?: BuildArgs) => string
  : (args: PathParams<Path> & BuildArgs) => string;

type Builders = { readonly [Name in RouteName]: Builder<RoutePaths[Name]> };

/** `routes.viewDelivery({ deliveryId })`: the address of a named route. */
export const routes = Object.fromEntries(
  Object.entries(routePaths).map(([name, path]) => [
    name,
    (args?: BuildArgs) => replaceParams(path, args),
  ]),
) as unknown as Builders;
