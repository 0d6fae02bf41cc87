import { useTranslation } from 'react-i18next';
import { routes } from '@/routing/routes';
import { Note } from '@/ui/note';
import { AuthLink } from './auth-link';

/** On a fresh installation nobody can sign in yet: the page says so and shows the way. */
export function FirstRunNote() {
  const { t } = useTranslation('auth');
  return (
    <Note title={t('firstRun')} className="mb-5">
      <AuthLink to={routes.createAdmin()}>{t('firstRunAction')}</AuthLink>
    </Note>
  );
}
