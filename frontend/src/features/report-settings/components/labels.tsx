import { useTranslation } from 'react-i18next';
import type { ReportSetting } from '../queries';

export function KeyLabel({ reportKey }: Pick<ReportSetting, 'reportKey'>) {
  const { t } = useTranslation('report-settings');
  return t(`keys.${reportKey}`);
}

export function FormatLabel({ format }: Pick<ReportSetting, 'format'>) {
  const { t } = useTranslation('report-settings');
  return t(`formats.${format}`);
}

export function RangeLabel({ days }: { days: number }) {
  const { t } = useTranslation('report-settings');
  return t('lastDays', { count: days });
}
