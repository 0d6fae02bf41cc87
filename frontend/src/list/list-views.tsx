import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { ViewTabs } from '@/ui/tabs';
import { activeView, applyView, writeListState, type ListShape, type ListState } from './list-state';
import type { ListView } from './resource';

interface ListViewsProps {
  views: readonly ListView[];
  shape: Pick<ListShape, 'defaultSort'>;
  state: ListState;
}

export function ListViews({ views, shape, state }: ListViewsProps) {
  const { t } = useTranslation('list');
  const [params] = useSearchParams();
  if (views.length === 0) return null;
  const tabs = views.map((view) => {
    const filters = applyView(state.filters, view, views);
    const next = writeListState(params, { ...state, filters, offset: 0 }, shape);
    return { id: view.id, label: t(view.labelKey), to: { search: next.toString() } };
  });
  return (
    <ViewTabs
      label={t('views')}
      tabs={tabs}
      current={activeView(state.filters, views)?.id}
      className="max-md:-mx-4 max-md:-mt-4 max-md:px-1"
    />
  );
}
