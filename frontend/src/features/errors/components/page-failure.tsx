import { RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { StateView } from '@/ui/state-view';

/** In the place of one page that failed; the shell around it stays. */
export function PageFailure() {
  const { t } = useTranslation('errors');
  return (
    <StateView
      kind="error"
      className="flex-1 justify-center"
      title={t('page.title')}
      text={t('page.text')}
      actions={
        <Button
          variant="primary"
          size={36}
          icon={RotateCw}
          onClick={() => window.location.reload()}
        >
          {t('page.retry')}
        </Button>
      }
    />
  );
}
