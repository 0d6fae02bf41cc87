import { useLocation } from 'react-router';
import type { NavigationRecord } from '@/navigation/records';
import { findRecord } from '@/navigation/use-current-record';
import { readRedirectTo } from '@/routing/redirect-to';

interface RefusedPage {
  /** As the guard left it, if it is one of this site. */
  address?: string;
  record?: NavigationRecord;
}

/** Returns the page that was refused. */
export function useRefusedPage(): RefusedPage {
  const address = readRedirectTo(useLocation().search);
  if (address === undefined) return {};
  const record = findRecord(address.replace(/[?#].*$/, ''));
  return { address, ...(record && { record }) };
}
