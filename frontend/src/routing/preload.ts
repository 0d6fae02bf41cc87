import { flattenRoutes, type PageImport, type RouteEntry } from './declarations';

const pages = new Map<string, PageImport>();

export function registerPages(entries: readonly RouteEntry[]): void {
  for (const route of flattenRoutes(entries)) {
    if ('page' in route && 'name' in route) pages.set(route.name, route.page);
  }
}

/** Fetches the code of a page ahead of the click; the click reports a failure, so none is here. */
export function preloadPage(name: string): void {
  pages.get(name)?.().catch(() => undefined);
}
