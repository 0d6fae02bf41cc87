import { useSearchParams } from 'react-router';
import type { NavigationRecord } from '@/navigation/records';
import { findRecord } from '@/navigation/use-current-record';
import { safeRedirectTo } from '@/routing/redirect-to';

interface RefusedPage {
  /** As the guard left it, if it is one of this site. */
  address?: string;
  record?: NavigationRecord;
}

/** The page somebody was sent away from. */
export function useRefusedPage(): RefusedPage {
  const [search] = useSearchParams();
  const address = safeRedirectTo(search.get('redirectTo'));
  if (address === undefined) return {};
  const record = findRecord(address.replace(/[?#].*$/, ''));
  return { address, ...(record && { record }) };
}
