import type { ComponentType, ReactNode } from 'react';
import type { RouteObject } from 'react-router';
import {
  checkDeclarations,
  isPrivateSet,
  namedPaths,
  type PageImport,
  type RouteEntry,
  unauthenticatedPath,
} from './declarations';
import { MissingPage } from './missing-page';
import { toRouterPattern } from './paths';
import { PrivateGuard } from './private-guard';
import { Redirect } from './redirect-route';
import { RoutePage } from './route-page';

export interface RouteObjectOptions {
  whileLoadingAuth: ReactNode;
  /** For addresses whose parameters do not fit their types. */
  notFound: ComponentType;
  /** In the place of a page that failed. */
  pageFailure: ComponentType;
  /** What the pages behind sign-in need beside their own code; asked for with each of them. */
  loadForPrivate: () => Promise<void>;
}

/** The declared routes in react-router's terms; throws what the declarations have wrong. */
export function toRouteObjects(
  entries: readonly RouteEntry[],
  options: RouteObjectOptions,
): RouteObject[] {
  checkDeclarations(entries);
  return compile(entries, options, namedPaths(entries), false);
}

/** For a page whose code did not arrive, react-router would show nothing at all. */
async function loadPage(page: PageImport, needs?: () => Promise<void>): Promise<ComponentType> {
  try {
    const [{ default: Page }] = await Promise.all([page(), needs?.()]);
    return Page;
  } catch (cause) {
    return () => <MissingPage cause={cause} />;
  }
}

function lazyPage(
  path: string | undefined,
  page: PageImport,
  notFound: ComponentType,
  needs?: () => Promise<void>,
) {
  return async () => {
    const Page = await loadPage(page, needs);
    if (path === undefined) return { Component: Page };
    return { element: <RoutePage path={path} page={Page} notFound={notFound} /> };
  };
}

function compile(
  entries: readonly RouteEntry[],
  options: RouteObjectOptions,
  paths: ReadonlyMap<string, string>,
  isPrivate: boolean,
): RouteObject[] {
  return entries.map((entry): RouteObject => {
    if (isPrivateSet(entry)) {
      return {
        element: (
          <PrivateGuard
            target={unauthenticatedPath(paths, entry.unauthenticated)}
            roles={entry.roles}
            wrap={entry.wrap}
            whileLoadingAuth={options.whileLoadingAuth}
          />
        ),
        children: compile(entry.routes, options, paths, true),
      };
    }
    const { pageFailure: ErrorBoundary, notFound } = options;
    const needs = isPrivate ? options.loadForPrivate : undefined;
    if ('notFound' in entry) {
      return { path: '*', lazy: lazyPage(undefined, entry.page, notFound), ErrorBoundary };
    }
    const path = toRouterPattern(entry.path);
    if ('redirect' in entry) {
      const target = paths.get(entry.redirect) ?? entry.redirect;
      return { path, element: <Redirect path={entry.path} target={target} /> };
    }
    return {
      path,
      caseSensitive: true,
      lazy: lazyPage(entry.path, entry.page, notFound, needs),
      ErrorBoundary,
    };
  });
}
