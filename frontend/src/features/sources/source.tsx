import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { RecordState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { proofRequirement } from '@/domain/proof-rules';
import { defineForm, labeled } from '@/form/define-form';
import { text, toggle } from '@/form/kinds';
import { limits } from '@/form/limits';
import { routes } from '@/routing/routes';
import { useRecordName } from '@/shell/current-record';
import { FactsSkeleton, Skeleton } from '@/ui/skeleton';
import type { SourceStatus } from '@/ui/status-chip';
import { type Source, sourceQuery } from './queries';

export function sourceStatus({ isActive }: { isActive: boolean }): SourceStatus {
  return isActive ? 'Active' : 'Disabled';
}

export function useSource(id: string) {
  const result = useRecord({
    document: sourceQuery,
    variables: { id },
    typenames: ['Source'],
    read: ({ source }) => source,
  });
  useRecordName(result.value?.name);
  return result;
}

/** Skeleton in the layout of the page, so that nothing shifts when the source loads. */
function SourceSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="mb-4 flex h-8 items-center gap-3">
        <Skeleton className="h-6 w-40" />
        <Skeleton className="h-6 w-20 rounded-full" />
      </div>
      <FactsSkeleton count={4} />
    </div>
  );
}

interface SourceStateProps {
  result: ReturnType<typeof useSource>;
  children: (source: Source) => ReactNode;
}

/** Loading, error and not-found states of a page about one source. */
export function SourceState({ result, children }: SourceStateProps) {
  const { t } = useTranslation('sources');
  return (
    <RecordState
      result={result}
      loading={<SourceSkeleton />}
      notFound={{
        title: t('view.notFound.title'),
        text: t('view.notFound.text'),
        action: t('view.notFound.action'),
        to: routes.sources(),
      }}
    >
      {children}
    </RecordState>
  );
}

/** Declares the fields of a source. */
export const sourceForm = defineForm({
  labels: 'sources:fields',
  className: 'max-w-[560px]',
  fields: {
    name: text({ hint: 'sources:edit.nameHint', maxLength: limits.shortName }),
    isActive: labeled(
      'common:status.source.Active',
      toggle({ hint: 'sources:edit.activeHint', initially: true }),
    ),
    podRequirement: proofRequirement('proof-rules:inherited.source'),
  },
});
