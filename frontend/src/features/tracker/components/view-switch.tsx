import { Map as MapIcon, Table2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Segmented } from '@/ui/segmented';

export type TrackerView = 'map' | 'table';

interface ViewSwitchProps {
  value: TrackerView;
  /** This browser draws none. */
  hasNoMap: boolean;
  onChange: (view: TrackerView) => void;
}

/** The map, or the same in words. */
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
