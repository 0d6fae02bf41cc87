import { LogOut } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { toast } from '@/ui/toast';

export function UserBlock() {
  const { t } = useTranslation(['shell', 'common']);
  const { currentUser, logOut } = useAuth();
  const navigate = useNavigate();
  const username = currentUser?.username ?? '';

  async function leave() {
    try {
      await logOut();
    } catch {
      toast.error(t('logoutFailed'));
    }
    await navigate(routes.login(), { replace: true });
  }

  return (
    <section aria-label={t('account')} className="border-t border-line px-4 pt-3 pb-2">
      <div className="flex items-center gap-2">
        <span
          aria-hidden
          className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent uppercase"
        >
          {Array.from(username)[0]}
        </span>
        <span className="min-w-0 flex-1 truncate text-sm font-medium" title={username}>
          {username}
        </span>
        <Button variant="quiet" icon={LogOut} className="-mr-2" onClick={() => void leave()}>
          {t('logout')}
        </Button>
      </div>
      <p className="mt-1 text-caps text-muted tabular-nums">{t('build', { ns: 'common' })}</p>
    </section>
  );
}
