import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { routes } from '@/routing/routes';
import { Note } from '@/ui/note';
import { NextStep } from './next-step';

/** Whoever is signed in has an account; an administrator makes those of others elsewhere. */
export function RegisterSignedIn() {
  const { t } = useTranslation('auth');
  const { currentUser, hasRole } = useAuth();
  const isAdmin = hasRole('admin');
  return (
    <>
      <Note title={t('register.signedIn', { username: currentUser?.username })} className="mt-4">
        {t(isAdmin ? 'register.adminHint' : 'register.hasAccount')}
      </Note>
      {isAdmin ? (
        <NextStep to={routes.newUser()}>{t('register.createUser')}</NextStep>
      ) : (
        <NextStep to={routes.account()}>{t('register.account')}</NextStep>
      )}
    </>
  );
}
