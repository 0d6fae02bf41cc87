import { useTranslation } from 'react-i18next';
import { Panel } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';

/** The outline of the page, so that nothing jumps when the account arrives. */
export function UserSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="mb-4 flex h-8 items-center gap-3">
        <Skeleton className="size-7 rounded-full" />
        <Skeleton className="h-6 w-32" />
        <Skeleton className="h-6 w-20 rounded-full" />
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_340px]">
        <div className="flex min-w-0 flex-col gap-4">
          <Panel className="grid grid-cols-2 gap-x-6 gap-y-5 p-4 lg:grid-cols-3">
            {Array.from({ length: 6 }, (_, index) => (
              <div key={index} className="flex flex-col gap-2">
                <Skeleton className="h-2.5 w-16 rounded-full" />
                <Skeleton className="h-3 w-28 rounded-full" />
              </div>
            ))}
          </Panel>
          <Panel className="flex flex-col gap-4 p-4">
            <Skeleton className="h-3 w-24 rounded-full" />
            <Skeleton className="h-9 max-w-[560px]" />
            <Skeleton className="h-9 max-w-[560px]" />
          </Panel>
        </div>
        <Panel className="flex flex-col gap-4 p-4">
          {Array.from({ length: 4 }, (_, index) => (
            <Skeleton key={index} className="h-3 w-3/4 rounded-full" />
          ))}
        </Panel>
      </div>
    </div>
  );
}
