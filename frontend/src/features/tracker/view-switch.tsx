import { Map as MapIcon, Table2 } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Segmented } from '@/ui/tabs';

/**
 * Reads and sets one URL parameter without changing the others; undefined removes it. Replaces the current history
 * entry.
 */
export function useSearchParam(name: string): [string | undefined, (value: string | undefined) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (value: string | undefined) => {
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          if (value === undefined) next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      );
    },
    [name, setParams],
  );
  return [params.get(name) ?? undefined, set];
}

export type TrackerView = 'map' | 'table';

interface ViewSwitchProps {
  value: TrackerView;
  /** Whether the browser cannot draw maps. */
  hasNoMap: boolean;
  onChange: (view: TrackerView) => void;
}

/** Switches between map and table. */
export function ViewSwitch({ value, hasNoMap, onChange }: ViewSwitchProps) {
  const { t } = useTranslation('tracker');
  return (
    <Segmented
      label={t('view.label')}
      value={value}
      onChange={onChange}
      segments={[
        { value: 'map', label: t('view.map'), icon: MapIcon, disabled: hasNoMap },
        { value: 'table', label: t('view.table'), icon: Table2 },
      ]}
    />
  );
}
