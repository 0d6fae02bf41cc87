import { useTranslation } from 'react-i18next';
import type { AppError } from '@/data/errors';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';

interface LoadFailureProps {
  failure: AppError;
  onRetry: () => void;
}

/** In the place of what could not be read. */
export function LoadFailure({ failure, onRetry }: LoadFailureProps) {
  const { t } = useTranslation('common');
  return (
    <Note
      tone="bad"
      role="alert"
      action={
        <Button size={28} onClick={onRetry}>
          {t('retry')}
        </Button>
      }
    >
      {failure.detail ?? failure.message}
    </Note>
  );
}
