import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { confirmLeaving } from '@/form/unsaved';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';

/** Signs out, unless the user decides to keep unsaved changes. */
export function useSignOut(): () => Promise<void> {
  const { t } = useTranslation('shell');
  const { logOut } = useAuth();
  const navigate = useNavigate();
  return async function signOut() {
    if (!(await confirmLeaving())) return;
    try {
      await logOut();
    } catch {
      toast.error(t('logoutFailed'));
    }
    await navigate(routes.login(), { replace: true });
  };
}
