import { LogOut, RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { DocumentTitle } from '@/shell/document-title';
import { Button } from '@/ui/button';
import { StateView } from '@/ui/state-view';
import { toast } from '@/ui/toast';

/** Shown when the router or a provider failed, so it depends on neither. */
export function FatalPage() {
  const { t } = useTranslation(['errors', 'common']);
  return (
    <main className="flex min-h-dvh flex-col bg-bg">
      <StateView
        kind="fatal"
        as="h1"
        className="flex-1 justify-center"
        title={t('fatal.title')}
        text={t('fatal.text')}
        actions={
          <>
            <Button
              variant="primary"
              size={36}
              icon={RotateCw}
              onClick={() => window.location.reload()}
            >
              {t('fatal.reload')}
            </Button>
            <Button asChild size={36}>
              <a href="/">{t('fatal.home')}</a>
            </Button>
          </>
        }
      />
      <p className="pb-6 text-center text-xs text-muted">
        {t('appName', { ns: 'common' })} {t('build', { ns: 'common' })}
      </p>
    </main>
  );
}

/** Replaces all pages behind sign-in if the browser doesn't know the organization's time zone. */
export function UnknownTimeZone({ timeZone }: { timeZone: string }) {
  const { t } = useTranslation(['errors', 'shell']);
  const { logOut } = useAuth();

  async function signOut() {
    try {
      await logOut();
    } catch {
      toast.error(t('logoutFailed', { ns: 'shell' }));
    }
  }

  return (
    <main className="flex min-h-dvh flex-col bg-bg">
      <DocumentTitle page={t('timeZone.title')} />
      <StateView
        kind="error"
        as="h1"
        className="flex-1 justify-center"
        title={t('timeZone.title')}
        text={t('timeZone.text', { timeZone })}
        actions={
          <>
            <Button variant="primary" size={36} icon={RotateCw} onClick={() => window.location.reload()}>
              {t('timeZone.reload')}
            </Button>
            <Button size={36} icon={LogOut} onClick={() => void signOut()}>
              {t('logout', { ns: 'shell' })}
            </Button>
          </>
        }
      />
    </main>
  );
}

/** Replaces the page of an address that leads to none; the shell around it stays. */
export function NotFound() {
  const { t } = useTranslation('errors');
  return (
    <>
      <DocumentTitle page={t('notFound.title')} />
      <StateView
        kind="no-match"
        as="h1"
        className="flex-1 justify-center"
        title={t('notFound.title')}
        text={t('notFound.text')}
        actions={
          <Button asChild variant="primary" size={36}>
            <Link to="/">{t('notFound.home')}</Link>
          </Button>
        }
      />
    </>
  );
}

/** Replaces a page that crashed; the shell around it stays. */
export function PageFailure() {
  const { t } = useTranslation('errors');
  return (
    <StateView
      kind="error"
      className="flex-1 justify-center"
      title={t('page.title')}
      text={t('page.text')}
      actions={
        <Button
          variant="primary"
          size={36}
          icon={RotateCw}
          onClick={() => window.location.reload()}
        >
          {t('page.retry')}
        </Button>
      }
    />
  );
}
