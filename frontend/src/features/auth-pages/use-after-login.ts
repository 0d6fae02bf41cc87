import { useSearchParams } from 'react-router';
import { safeRedirectTo } from '@/routing/redirect-to';

/** Where a signed-in user goes from the login page. */
export function useAfterLogin(): string {
  const [search] = useSearchParams();
  return safeRedirectTo(search.get('redirectTo')) ?? '/';
}
