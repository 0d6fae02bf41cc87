import { useTranslation } from 'react-i18next';
import { Skeleton } from '@/ui/skeleton';

/** The outline of the paper, so that nothing jumps when the form arrives. */
export function FormSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="flex flex-1 flex-col">
      <div className="flex h-12 items-center gap-3 border-b border-line bg-surface px-4 md:px-6">
        <Skeleton className="h-5 w-32" />
        <Skeleton className="h-6 w-28 rounded-full" />
      </div>
      <div className="flex-1 bg-raised p-4 md:p-6">
        <div className="mx-auto flex h-[60vh] max-w-[794px] flex-col gap-4 bg-surface p-8">
          <Skeleton className="h-8 w-48" />
          <Skeleton className="h-4 w-full rounded-full" />
          <Skeleton className="h-4 w-3/4 rounded-full" />
          <Skeleton className="h-40 w-full" />
        </div>
      </div>
    </div>
  );
}
