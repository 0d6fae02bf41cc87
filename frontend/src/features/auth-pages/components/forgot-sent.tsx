import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { routes } from '@/routing/routes';
import { Note } from '@/ui/note';
import { NextStep } from './next-step';

/** The same for every name, so that nobody learns from it which accounts there are. */
export function ForgotSent() {
  const { t } = useTranslation('auth');
  const box = useRef<HTMLDivElement>(null);

  // The form that had the focus is gone.
  useEffect(() => box.current?.focus(), []);

  return (
    <>
      <Note ref={box} tone="ok" role="status" title={t('forgot.sentTitle')}>
        <p>{t('forgot.sent')}</p>
        <p className="mt-2">{t('forgot.nothing')}</p>
      </Note>
      <NextStep to={routes.login()}>{t('goToLogin')}</NextStep>
    </>
  );
}
