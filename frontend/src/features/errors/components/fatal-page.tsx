import { RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { StateView } from '@/ui/state-view';

/** Stands alone: it may show because the router or a provider failed, so it uses neither. */
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
