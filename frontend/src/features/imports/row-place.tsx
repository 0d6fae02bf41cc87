import { useTranslation } from 'react-i18next';

interface RowPlaceProps {
  row: number | null;
  /** Null unless the deliveries and their items are on two sheets. */
  sheet: string | null;
}

/** The number of a row and its sheet, for the cell of a table. */
export function RowPlace({ row, sheet }: RowPlaceProps) {
  return (
    <>
      <span className="tabular-nums">{row}</span>
      {sheet && (
        <span dir="auto" className="block text-xs font-normal text-muted wrap-anywhere">
          {sheet}
        </span>
      )}
    </>
  );
}

/** The number of a row and its sheet, as the name of a card. */
export function RowTitle({ row, sheet }: RowPlaceProps) {
  const { t } = useTranslation('imports');
  return (
    <span className="tabular-nums">
      {t('refused.row', { row })}
      {sheet && <span className="font-normal text-muted"> {t('refused.ofSheet', { sheet })}</span>}
    </span>
  );
}
