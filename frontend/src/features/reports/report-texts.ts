import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { bucketInFile, formatBucket } from '@/domain/analytics/buckets';
import { formatMeasure } from '@/domain/analytics/measures';
import { NO_VALUE } from '@/domain/analytics/pivot';
import { type AnalyticsRow, numberOf } from '@/domain/analytics/query';
import { useOutcomeReasonLabel } from '@/domain/lookups/outcome-reasons';
import { useNameOf } from '@/i18n/texts';
import { REASON, type ShownColumn, STATUS } from './definition';
import type { Report } from './use-report';

export type ReportTexts = ReturnType<typeof useReportTexts>;

/** Returns functions that label members, values and measures. */
export function useReportTexts({ report, members, range }: Report) {
  const { t } = useTranslation(['reports', 'common']);
  const nameOf = useNameOf();
  const reasonLabel = useOutcomeReasonLabel({ pause: !report.dimensions.includes(REASON) });
  return useMemo(() => {
    const titleOf = (member: string) =>
      report.columns.find((column) => column.member === member)?.label ||
      (members.find((entry) => entry.member === member)?.title ?? member);
    /** Labels a value. For an outcome reason, the status in `row` picks between reasons with the same code. */
    const labelOf = (member: string, value: string, row?: AnalyticsRow) => {
      if (value === NO_VALUE) return t(member === 'Driver.driverId' ? 'common:unassigned' : 'common:none');
      if (member === REASON) return reasonLabel(value, row?.[STATUS]);
      if (member === STATUS) return nameOf('common:status.delivery', value);
      if (member === 'Shipment.shipmentstatus') return nameOf('common:status.shipment', value);
      return value;
    };
    const textWith =
      (bucketText: typeof formatBucket) =>
      ({ kind, key, member }: ShownColumn, row: AnalyticsRow) => {
        const value = row[key];
        if (kind === 'measure') {
          const number = numberOf(value);
          return number === null ? '–' : formatMeasure(member)(number);
        }
        const text = value === null || value === undefined || value === '' ? NO_VALUE : String(value);
        if (kind === 'time' && report.granularity && text !== NO_VALUE) return bucketText(text, report.granularity, range);
        return labelOf(member, text, row);
      };
    // A file needs dates with their year, in a form that spreadsheets read.
    return { titleOf, labelOf, textOf: textWith(formatBucket), textInFile: textWith(bucketInFile) };
  }, [report, members, range, nameOf, reasonLabel, t]);
}
