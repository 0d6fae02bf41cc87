import { LogOut } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { preloadPage } from '@/routing/preload';
import { routes } from '@/routing/routes';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { useSignOut } from './use-sign-out';

interface UserBlockProps {
  onNavigate?: (() => void) | undefined;
}

const preload = () => preloadPage('account');

export function UserBlock({ onNavigate }: UserBlockProps) {
  const { t } = useTranslation(['shell', 'common']);
  const { currentUser } = useAuth();
  const signOut = useSignOut();
  const { pathname } = useLocation();
  const username = currentUser?.username ?? '';

  return (
    <section aria-label={t('account')} className="border-t border-line px-4 pt-3 pb-2 rail:px-2">
      <div className="flex items-center gap-2 rail:flex-col">
        <Link
          to={routes.account()}
          data-tip={username}
          aria-current={pathname === routes.account() ? 'page' : undefined}
          onMouseEnter={preload}
          onFocus={preload}
          onClick={onNavigate}
          className="hit-target -ml-1 flex min-w-0 flex-1 items-center gap-2 rounded-control rail:ml-0 p-1 text-sm font-medium transition-colors duration-120 ease-out hover:bg-raised aria-[current=page]:text-accent"
        >
          <Avatar name={username} />
          <span className="min-w-0 truncate rail:sr-only">{username}</span>
        </Link>
        <Button
          variant="quiet"
          icon={LogOut}
          data-tip-cut
          className="-mr-2 rail:mr-0 rail:px-2"
          onClick={() => void signOut()}
        >
          <span className="truncate rail:sr-only">{t('logout')}</span>
        </Button>
      </div>
      <p className="mt-1 text-caps text-muted tabular-nums rail:text-center">{t('build', { ns: 'common' })}</p>
    </section>
  );
}
