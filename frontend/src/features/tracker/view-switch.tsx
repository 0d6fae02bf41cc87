import { Map as MapIcon, RefreshCw, Table2 } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearch } from '@/routing/use-search';
import { Button } from '@/ui/button';
import type { MapFailure } from '@/ui/map/map-view';
import { hasWebgl } from '@/ui/map/webgl';
import { Note } from '@/ui/note';
import { Segmented } from '@/ui/tabs';

/**
 * Reads and sets one URL parameter without changing the others; undefined removes it. Replaces the current history
 * entry, and the page keeps its scroll position.
 */
export function useSearchParam(name: string): [string | undefined, (value: string | undefined) => void] {
  const [params, changeSearch] = useSearch();
  const set = useCallback(
    (value: string | undefined) =>
      changeSearch(
        (search) => {
          if (value === undefined) search.delete(name);
          else search.set(name, value);
          return search;
        },
        { replace: true, preventScrollReset: true },
      ),
    [name, changeSearch],
  );
  return [params.get(name) ?? undefined, set];
}

type TrackerView = 'map' | 'table';

/** Reads and sets the view in the URL. While the map has failed, the view is the table; choosing the map tries again. */
export function useTrackerView() {
  const [wanted, setWanted] = useSearchParam('view');
  const [failure, setFailure] = useState<MapFailure | undefined>(() => (hasWebgl() ? undefined : 'unsupported'));
  const view: TrackerView = failure || wanted === 'table' ? 'table' : 'map';
  function setView(next: TrackerView) {
    if (next === 'map') setFailure(undefined);
    setWanted(next === 'table' ? next : undefined);
  }
  return { view, setView, failure, setFailure };
}

interface ViewSwitchProps {
  value: TrackerView;
  /** The map can be chosen again if it only failed to load. */
  failure: MapFailure | undefined;
  onChange: (view: TrackerView) => void;
}

/** Switches between map and table. */
export function ViewSwitch({ value, failure, onChange }: ViewSwitchProps) {
  const { t } = useTranslation('tracker');
  return (
    <Segmented
      label={t('view.label')}
      value={value}
      onChange={onChange}
      segments={[
        { value: 'map', label: t('view.map'), icon: MapIcon, disabled: failure === 'unsupported' },
        { value: 'table', label: t('view.table'), icon: Table2 },
      ]}
    />
  );
}

/** Says why the table is shown instead of the map. */
export function MapFailureNote({ failure, onRetry }: { failure: MapFailure | undefined; onRetry: () => void }) {
  const { t } = useTranslation(['tracker', 'common']);
  if (!failure) return null;
  if (failure === 'unsupported') return <Note tone="info">{t('noMap')}</Note>;
  return (
    <Note
      tone="warn"
      role="alert"
      action={
        <Button size={28} icon={RefreshCw} onClick={onRetry}>
          {t('common:retry')}
        </Button>
      }
    >
      {t('mapNotLoaded')}
    </Note>
  );
}
