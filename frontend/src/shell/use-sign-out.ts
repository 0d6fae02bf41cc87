import { useNavigate } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { confirmLeaving } from '@/form/unsaved';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';

/**
 * Returns a function that signs out, unless the user decides to keep unsaved changes, and opens the login page. After the next
 * sign-in, that page goes to the given address.
 */
export function useSignOut(): (redirectTo?: string) => Promise<void> {
  const { logOut } = useAuth();
  const navigate = useNavigate();
  return async function signOut(redirectTo) {
    if (!(await confirmLeaving())) return;
    await logOut();
    // Messages may name customers and drivers.
    toast.remove();
    await navigate(routes.login(redirectTo === undefined ? {} : { redirectTo }), { replace: true });
  };
}
