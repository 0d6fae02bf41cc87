import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { Navigate, Outlet, type RouteObject, useLocation } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { findNewerBuild, reloadPage } from '@/lib/newer-build';
import {
  checkDeclarations,
  isPrivateSet,
  namedPaths,
  type PageImport,
  type PrivateSet,
  type RouteEntry,
  unauthenticatedPath,
} from './declarations';
import { replaceParams, toRouterPattern } from './paths';
import { refusalTarget } from './redirect-to';
import { ParamsContext, readParams } from './routes';

export interface RouteObjectOptions {
  whileLoadingAuth: ReactNode;
  /** Shown if a URL's parameters do not match their types. */
  notFound: ComponentType;
  /** Replaces a page that crashed. */
  pageFailure: ComponentType;
  /** Loads what all pages behind sign-in need, together with their code. */
  loadForPrivate: () => Promise<void>;
}

/** Converts the declared routes to react-router's; throws if they are invalid. */
export function toRouteObjects(
  entries: readonly RouteEntry[],
  options: RouteObjectOptions,
): RouteObject[] {
  checkDeclarations(entries);
  return compile(entries, options, namedPaths(entries), false);
}

/** Loads a page with what it needs. A failure waits for both, too: the error is shown within the frame around all pages. */
async function loadPage(page: PageImport, needs?: () => Promise<void>): Promise<ComponentType> {
  const [module, frame] = await Promise.allSettled([page(), needs?.()]);
  if (module.status === 'rejected') throw module.reason;
  if (frame.status === 'rejected') throw frame.reason;
  return module.value.default;
}

/**
 * Returns the page to render after a failed load. react-router would show a blank page, and keeps for the route what it
 * gets first, so each later visit loads the code again here.
 */
function missingPage(cause: unknown, load: () => Promise<ComponentType>): ComponentType {
  let visits = 0;
  function loadOnReturn(): Promise<ComponentType> {
    visits += 1;
    return visits === 1 ? Promise.reject(cause) : load();
  }
  return () => <MissingPage load={loadOnReturn} />;
}

function lazyPage(
  path: string | undefined,
  page: PageImport,
  notFound: ComponentType,
  needs?: () => Promise<void>,
) {
  return async () => {
    const load = () => loadPage(page, needs);
    const Page = await load().catch((cause: unknown) => missingPage(cause, load));
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
      return { path, caseSensitive: true, element: <Redirect path={entry.path} target={target} /> };
    }
    return {
      path,
      caseSensitive: true,
      lazy: lazyPage(entry.path, entry.page, notFound, needs),
      ErrorBoundary,
    };
  });
}

/**
 * Loads a page whose code could not be loaded before. If that fails and the server has a newer build, reloads to get it.
 * If not, shows an error, as for a page that crashed. Nothing has been typed on this page yet, so a reload loses nothing.
 */
function MissingPage({ load }: { load: () => Promise<ComponentType> }) {
  const [outcome, setOutcome] = useState<{ Page: ComponentType } | { cause: unknown }>();
  useEffect(() => {
    let isOver = false;
    async function loadOrFail() {
      try {
        const Page = await load();
        if (!isOver) setOutcome({ Page });
      } catch (cause) {
        const isNewer = await findNewerBuild();
        if (isOver) return;
        if (isNewer) reloadPage();
        else setOutcome({ cause });
      }
    }
    void loadOrFail();
    return () => {
      isOver = true;
    };
  }, [load]);
  if (!outcome) return null;
  if ('cause' in outcome) throw outcome.cause;
  return <outcome.Page />;
}

interface PrivateGuardProps {
  /** The path that users without access are redirected to. */
  target: string;
  roles: PrivateSet['roles'];
  wrap: PrivateSet['wrap'];
  whileLoadingAuth: ReactNode;
}

function PrivateGuard({ target, roles, wrap: Wrap, whileLoadingAuth }: PrivateGuardProps) {
  const { loading, isAuthenticated, hasRole } = useAuth();
  const location = useLocation();
  const allowed = isAuthenticated && (roles === undefined || hasRole(roles));
  if (!allowed && loading) return whileLoadingAuth;
  if (!allowed) return <Navigate to={refusalTarget(target, location)} replace />;
  return Wrap ? (
    <Wrap>
      <Outlet />
    </Wrap>
  ) : (
    <Outlet />
  );
}

interface RedirectProps {
  path: string;
  target: string;
}

/** Redirects to another path with all parameters. */
function Redirect({ path, target }: RedirectProps) {
  const { pathname, search, hash } = useLocation();
  const params = readParams(path, pathname, search) ?? {};
  return <Navigate to={replaceParams(target, params) + hash} replace />;
}

interface RoutePageProps {
  path: string;
  page: ComponentType;
  notFound: ComponentType;
}

/** Matches the path again, because react-router's patterns know neither types nor encoded values. */
function RoutePage({ path, page: Page, notFound: NotFound }: RoutePageProps) {
  const { pathname, search } = useLocation();
  const params = readParams(path, pathname, search);
  if (!params) return <NotFound />;
  return (
    <ParamsContext value={params}>
      <Page />
    </ParamsContext>
  );
}
