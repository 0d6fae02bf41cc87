import { useTranslation } from 'react-i18next';
import { Skeleton } from '@/ui/skeleton';
import { StateView } from '@/ui/state-view';

/** In the place of a list without rows: it is being read, there is nobody, or nobody that is looked for. */
export function DriverListState({ kind }: { kind: 'loading' | 'empty' | 'no-match' }) {
  const { t } = useTranslation('tracker');
  if (kind === 'loading') {
    return (
      <div role="status" aria-label={t('common:loading')} className="flex flex-col gap-6 p-4">
        {Array.from({ length: 8 }, (_, index) => (
          <Skeleton key={index} className="h-8" />
        ))}
      </div>
    );
  }
  const text = kind === 'empty' ? 'empty' : 'noMatch';
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <StateView kind={kind} title={t(`${text}.title`)} text={t(`${text}.text`)} />
    </div>
  );
}
