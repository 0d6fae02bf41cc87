import { LoaderCircle, RefreshCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { StateView } from '@/ui/state-view';
import type { AppError } from './errors';

interface QueryFailureProps {
  error: AppError | undefined;
  /** It is being tried again. */
  isRetrying?: boolean;
  onRetry: () => void;
}

/** In the place of what could not be read: what happened, and what to do next. */
export function QueryFailure({ error, isRetrying = false, onRetry }: QueryFailureProps) {
  const { t } = useTranslation('list');
  const hint =
    error?.kind === 'network' || error?.kind === 'forbidden' ? error.kind : ('server' as const);
  const message = error?.detail ?? error?.message ?? t('common:genericError');
  const title = t('common:somethingWrong');
  return (
    <StateView
      kind="error"
      className="my-auto"
      title={title}
      text={
        <>
          {message !== title && <p>{message}</p>}
          <p>{t(`failure.${hint}`)}</p>
        </>
      }
      actions={
        // Not disabled, which would take the focus away from who pressed it.
        <Button
          variant="primary"
          size={36}
          icon={isRetrying ? LoaderCircle : RefreshCw}
          aria-disabled={isRetrying}
          onClick={() => !isRetrying && onRetry()}
        >
          {t(isRetrying ? 'common:loading' : 'common:retry')}
        </Button>
      }
    />
  );
}
