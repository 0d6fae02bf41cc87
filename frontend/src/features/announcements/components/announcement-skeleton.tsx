import { useTranslation } from 'react-i18next';
import { Panel } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';

/** The outline of the page, so that nothing jumps when the announcement arrives. */
export function AnnouncementSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="mb-4 flex h-8 items-center gap-3">
        <Skeleton className="h-6 w-64" />
        <Skeleton className="h-6 w-20 rounded-full" />
      </div>
      <Panel className="grid grid-cols-2 gap-x-6 gap-y-5 p-4 lg:grid-cols-4">
        {Array.from({ length: 8 }, (_, index) => (
          <div key={index} className="flex flex-col gap-2">
            <Skeleton className="h-2.5 w-16 rounded-full" />
            <Skeleton className="h-3 w-28 rounded-full" />
          </div>
        ))}
      </Panel>
    </div>
  );
}
