import { flattenRoutes, type PageImport, type RouteEntry } from './declarations';

const pages = new Map<string, PageImport>();

export function registerPages(entries: readonly RouteEntry[]): void {
  for (const route of flattenRoutes(entries)) {
    if ('page' in route && 'name' in route) pages.set(route.name, route.page);
  }
}

/** Preloads the code of a page before the click. Errors are ignored here; the click reports them. */
export function preloadPage(name: string): void {
  pages.get(name)?.().catch(() => undefined);
}
