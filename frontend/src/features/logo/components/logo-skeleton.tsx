import { useTranslation } from 'react-i18next';
import { Panel } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';

/** The outline of the page, so that nothing jumps when the logo arrives. */
export function LogoSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="grid gap-8 lg:grid-cols-2">
      <div className="flex flex-col gap-6">
        <Panel className="h-28" />
        {Array.from({ length: 3 }, (_, index) => (
          <Skeleton key={index} className="h-9 w-full" />
        ))}
      </div>
      <Panel className="h-52" />
    </div>
  );
}
