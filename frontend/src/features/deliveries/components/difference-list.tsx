import { useTranslation } from 'react-i18next';
import type { Difference } from '../differences';
import { useFieldText } from '../use-field-text';
import type { Reasons } from '../use-reasons';

interface DifferenceListProps {
  differences: readonly Difference[];
  reasons: Reasons;
  timeZone: string;
}

// A delivery may have a thousand lines, and an outcome counts each of them.
const MOST = 50;

export function DifferenceList({ differences, reasons, timeZone }: DifferenceListProps) {
  const { t } = useTranslation('deliveries');
  const textOf = useFieldText(reasons, timeZone);
  const rest = differences.length - MOST;
  return (
    <ul className="mt-1 flex flex-col gap-1 text-xs">
      {differences.slice(0, MOST).map(({ itemNumber, field, before, after }) => (
        <li key={`${itemNumber ?? ''}/${field}`} className="wrap-anywhere">
          <span className="text-muted">
            {itemNumber !== null && `${t('history.item', { item: itemNumber })} `}
            {t(`fields.${field}`, { defaultValue: field })}:
          </span>{' '}
          <del className="text-muted">{textOf(field, before)}</del> <span aria-hidden>→</span>{' '}
          <ins className="no-underline">{textOf(field, after)}</ins>
        </li>
      ))}
      {rest > 0 && <li>{t('history.more', { count: rest })}</li>}
    </ul>
  );
}
