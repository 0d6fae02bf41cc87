import { useLocation } from 'react-router';
import { readRedirectTo } from '@/routing/redirect-to';

/** Returns the address to open after sign-in. */
export function useAfterLogin(): string {
  return readRedirectTo(useLocation().search) ?? '/';
}
