import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';

/** Asks before a page is left with changes that are not saved. */
export function UnsavedGuard({ when }: { when: boolean }) {
  const { t } = useTranslation('form');
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      when && currentLocation.pathname !== nextLocation.pathname,
  );

  useEffect(() => {
    if (!when) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [when]);

  if (blocker.state !== 'blocked') return null;
  return (
    <Dialog open onOpenChange={() => blocker.reset()}>
      <DialogContent
        role="alertdialog"
        title={t('unsaved.title')}
        description={t('unsaved.text')}
        footer={
          <>
            <Button onClick={() => blocker.reset()}>{t('unsaved.stay')}</Button>
            <Button variant="danger" onClick={() => blocker.proceed()}>
              {t('unsaved.leave')}
            </Button>
          </>
        }
      />
    </Dialog>
  );
}
