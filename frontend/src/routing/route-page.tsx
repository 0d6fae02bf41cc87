import type { ComponentType } from 'react';
import { useLocation } from 'react-router';
import { ParamsContext, readParams } from './route-params';

interface RoutePageProps {
  path: string;
  page: ComponentType;
  notFound: ComponentType;
}

/** The grammar has the last word: react-router's patterns know neither types nor encoded values. */
export function RoutePage({ path, page: Page, notFound: NotFound }: RoutePageProps) {
  const { pathname, search } = useLocation();
  const params = readParams(path, pathname, search);
  if (!params) return <NotFound />;
  return (
    <ParamsContext value={params}>
      <Page />
    </ParamsContext>
  );
}
