import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { routes } from '@/routing/routes';
import { Note } from '@/ui/note';
import { adminNeededQuery } from '../queries';

/** On a fresh installation nobody can sign in yet: the page says so and shows the way. */
export function FirstRunNote() {
  const { t } = useTranslation('auth');
  const [{ data }] = useQuery({ query: adminNeededQuery });
  if (!data?.adminNeeded.needed) return null;
  return (
    <Note title={t('firstRun')} className="mb-5">
      <Link to={routes.createAdmin()} className="font-medium text-accent underline">
        {t('firstRunAction')}
      </Link>
    </Note>
  );
}
