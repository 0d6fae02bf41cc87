import { useTranslation } from 'react-i18next';
import { routes } from '@/routing/routes';
import { Note } from '@/ui/note';
import { NextStep } from './next-step';

/** Why a one-time link is of no use, and how to get one that is. */
export function DeadLink({ reason }: { reason?: string | undefined }) {
  const { t } = useTranslation('auth');
  const title = t(reason ? 'reset.dead.title' : 'reset.missing.title');
  return (
    <>
      <Note tone="bad" role="alert" title={title}>
        {reason && reason !== title && <p>{reason}</p>}
        <p>{t(reason ? 'reset.dead.text' : 'reset.missing.text')}</p>
      </Note>
      <NextStep to={routes.forgotPassword()}>{t('reset.again')}</NextStep>
      <p className="mt-6 text-sm text-muted">{t('reset.driver')}</p>
    </>
  );
}
