import { useTranslation } from 'react-i18next';
import { Panel } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';

/** The outline of the page, so that nothing jumps when the setting arrives. */
export function SettingSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="flex h-7 items-center">
        <Skeleton className="h-5 w-56" />
      </div>
      <div className="mt-1 flex h-5 items-center">
        <Skeleton className="h-3 w-80 max-w-full rounded-full" />
      </div>
      <div className="mt-4 grid items-start gap-4 lg:grid-cols-[minmax(0,560px)_minmax(0,320px)] lg:gap-6">
        <Panel className="flex h-40 flex-col gap-3 p-4">
          <Skeleton className="h-3 w-16 rounded-full" />
          <Skeleton className="h-9 w-full" />
        </Panel>
        <Panel className="flex h-56 flex-col gap-5 p-4">
          {Array.from({ length: 4 }, (_, index) => (
            <div key={index} className="flex flex-col gap-2">
              <Skeleton className="h-2.5 w-16 rounded-full" />
              <Skeleton className="h-3 w-28 rounded-full" />
            </div>
          ))}
        </Panel>
      </div>
    </div>
  );
}
