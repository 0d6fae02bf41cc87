import { useTranslation } from 'react-i18next';
import { Skeleton } from '@/ui/skeleton';

/** Two lines of a list that is on its way. */
export function LinesSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="flex flex-col gap-4 p-4">
      <Skeleton className="h-3 w-3/4 rounded-full" />
      <Skeleton className="h-3 w-2/3 rounded-full" />
    </div>
  );
}
