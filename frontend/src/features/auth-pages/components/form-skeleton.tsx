import { useTranslation } from 'react-i18next';
import { Skeleton } from '@/ui/skeleton';

/** The outline of a form of so many fields, so that nothing jumps when it comes. */
export function FormSkeleton({ fields }: { fields: number }) {
  const { t } = useTranslation('auth');
  return (
    <div role="status" aria-label={t('loading')} className="flex flex-col gap-4">
      {Array.from({ length: fields }, (_, index) => (
        <div key={index} className="flex flex-col gap-2">
          <Skeleton className="mt-1 h-3 w-24 rounded-full" />
          <Skeleton className="h-10 rounded-control pointer-coarse:h-11" />
        </div>
      ))}
      <Skeleton className="h-10 rounded-control pointer-coarse:h-12" />
    </div>
  );
}
