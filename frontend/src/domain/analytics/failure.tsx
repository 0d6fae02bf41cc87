import { normalizeError } from '@/data/errors';
import { QueryFailure } from '@/data/query-state';
import { AnalyticsError } from './client';

interface AnalyticsFailureProps {
  error: unknown;
  isRetrying?: boolean;
  onRetry: () => void;
}

/** Shown in place of figures that failed to load. */
export function AnalyticsFailure({ error, isRetrying = false, onRetry }: AnalyticsFailureProps) {
  const failed = normalizeError(error);
  const { detail } = error instanceof AnalyticsError ? error : {};
  const shown = detail ? { ...failed, detail: `${failed.message}. ${detail}` } : failed;
  return <QueryFailure error={shown} isRetrying={isRetrying} onRetry={onRetry} />;
}
