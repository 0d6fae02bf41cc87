import { useTranslation } from 'react-i18next';
import { Panel } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';

/** The outline of the form, so that nothing jumps when the report setting arrives. */
export function ReportSettingSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <Skeleton className="mb-4 h-8 w-64" />
      <Panel className="flex max-w-[720px] flex-col gap-5 p-4">
        {Array.from({ length: 6 }, (_, index) => (
          <div key={index} className="flex flex-col gap-2">
            <Skeleton className="h-2.5 w-24 rounded-full" />
            <Skeleton className="h-9" />
          </div>
        ))}
      </Panel>
    </div>
  );
}
