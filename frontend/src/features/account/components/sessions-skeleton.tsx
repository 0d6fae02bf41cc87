import { useTranslation } from 'react-i18next';
import { Skeleton } from '@/ui/skeleton';

export function SessionsSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="divide-y divide-line">
      {Array.from({ length: 2 }, (_, index) => (
        <div key={index} className="flex h-[62px] items-center gap-3 px-4">
          <Skeleton className="size-4" />
          <div className="flex flex-1 flex-col gap-2.5">
            <Skeleton className="h-3 w-48 rounded-full" />
            <Skeleton className="h-2.5 w-72 max-w-full rounded-full" />
          </div>
        </div>
      ))}
    </div>
  );
}
