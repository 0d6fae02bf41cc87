import { useTranslation } from 'react-i18next';
import { type ReasonText, useFieldText } from '@/domain/changed-value';
import { labelOf } from '@/domain/lookups/outcome-reasons';
import { useNameOf } from '@/i18n/texts';
import type { Difference } from './differences';
import type { Reasons } from './use-reasons';

interface DifferenceListProps {
  differences: readonly Difference[];
  reasons: Reasons;
  timeZone: string;
}

// The maximum number of differences shown, since an outcome can change a thousand lines.
const MOST = 50;

export function DifferenceList({ differences, reasons, timeZone }: DifferenceListProps) {
  const { t } = useTranslation('deliveries');
  const nameOf = useNameOf();
  const reasonText: ReasonText = (field, code) => {
    if (field === 'varianceReason') return reasons.label('variance', code) ?? code;
    // The history does not record which catalog the reason is from, and catalogs can share a code.
    return labelOf([reasons.find('undelivered', code) ?? [], reasons.find('rejected', code) ?? []].flat(), code);
  };
  const textOf = useFieldText(timeZone, reasonText);
  const rest = differences.length - MOST;
  return (
    <ul className="mt-1 flex flex-col gap-1 text-xs">
      {differences.slice(0, MOST).map(({ itemNumber, field, before, after }) => (
        <li key={`${itemNumber ?? ''}/${field}`} className="wrap-anywhere">
          <span className="text-muted">
            {itemNumber !== null && `${t('history.item', { item: itemNumber })} `}
            {nameOf('deliveries:fields', field)}:
          </span>{' '}
          <del className="text-muted">{textOf(field, before)}</del> <span aria-hidden>→</span>{' '}
          <ins className="no-underline">{textOf(field, after)}</ins>
        </li>
      ))}
      {rest > 0 && <li>{t('history.more', { count: rest })}</li>}
    </ul>
  );
}
