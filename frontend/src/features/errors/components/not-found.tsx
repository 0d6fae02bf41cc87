import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Button } from '@/ui/button';
import { StateView } from '@/ui/state-view';

interface NotFoundProps {
  as?: 'h1' | 'h2';
}

export function NotFound({ as = 'h2' }: NotFoundProps) {
  const { t } = useTranslation('errors');
  return (
    <StateView
      kind="no-match"
      as={as}
      className="flex-1 justify-center"
      title={t('notFound.title')}
      text={t('notFound.text')}
      actions={
        <Button asChild variant="primary" size={36}>
          <Link to="/">{t('notFound.home')}</Link>
        </Button>
      }
    />
  );
}
