import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';

export function useSignOut(): () => Promise<void> {
  const { t } = useTranslation('shell');
  const { logOut } = useAuth();
  const navigate = useNavigate();
  return async function signOut() {
    try {
      await logOut();
    } catch {
      toast.error(t('logoutFailed'));
    }
    await navigate(routes.login(), { replace: true });
  };
}
