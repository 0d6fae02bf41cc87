import { useTranslation } from 'react-i18next';
import { Tag } from '@/ui/tag';
import type { DriverState } from '../freshness';
import { stateLooks } from './state-look';

export function StateTag({ state }: { state: DriverState }) {
  const { t } = useTranslation('tracker');
  const { icon, tone } = stateLooks[state];
  return (
    <Tag tone={tone} icon={icon}>
      {t(`state.${state}`)}
    </Tag>
  );
}
