import { useLocation } from 'react-router';
import { matchPath } from '@/routing/paths';
import { type NavigationRecord, navigationRecords } from './records';

export function findRecord(pathname: string): NavigationRecord | undefined {
  return Object.values(navigationRecords).find(({ path }) => matchPath(path, pathname).match);
}

/** The record of the screen that is open. */
export function useCurrentRecord(): NavigationRecord | undefined {
  return findRecord(useLocation().pathname);
}
