import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { RecordState } from '@/data/record-state';
import { routes } from '@/routing/routes';
import type { Source } from '../queries';
import type { useSource } from '../use-source';
import { SourceSkeleton } from './source-skeleton';

interface SourceStateProps {
  result: ReturnType<typeof useSource>;
  children: (source: Source) => ReactNode;
}

/** The states of a page about one source. */
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
