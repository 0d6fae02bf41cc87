import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { routes } from '@/routing/routes';
import { Note } from '@/ui/note';
import { NextStep } from './next-step';

/** What the server said of a sign-up, to stay after its toast has gone. */
export function SignedUp({ text }: { text: string }) {
  const { t } = useTranslation('auth');
  const box = useRef<HTMLDivElement>(null);

  // The form that had the focus is gone.
  useEffect(() => box.current?.focus(), []);

  return (
    <>
      <Note ref={box} tone="ok" title={t('register.doneTitle')}>
        {text}
      </Note>
      <NextStep to={routes.login()}>{t('goToLogin')}</NextStep>
    </>
  );
}
