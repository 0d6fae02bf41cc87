import { LogOut, RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { DocumentTitle } from '@/shell/document-title';
import { useSignOut } from '@/shell/use-sign-out';
import { Button } from '@/ui/button';
import { StateView } from '@/ui/state-view';

function ReloadButton({ label }: { label: string }) {
  return (
    <Button variant="primary" size={36} icon={RotateCw} onClick={() => window.location.reload()}>
      {label}
    </Button>
  );
}

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
            <ReloadButton label={t('fatal.reload')} />
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
  const signOut = useSignOut();

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
            <ReloadButton label={t('timeZone.reload')} />
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
      actions={<ReloadButton label={t('page.retry')} />}
    />
  );
}
