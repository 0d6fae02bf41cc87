import { useTranslation } from 'react-i18next';
import { messagesOf } from './correction-grid';
import type { GridRow } from './queries';
import { valueOf } from './use-corrections';

interface CellDetailsProps {
  row: GridRow | undefined;
  column: number;
  headings: readonly string[];
  typed: ReadonlyMap<string, string>;
}

/** The whole value and messages of the current cell, which the grid cuts. */
export function CellDetails({ row, column, headings, typed }: CellDetailsProps) {
  const { t } = useTranslation('imports');
  const heading = headings[column] || t('correct.noHeading', { column: column + 1 });
  const messages = row && messagesOf(row, headings);
  const texts = [...(messages?.ofColumn.get(column) ?? []), ...(messages?.ofRow ?? [])];
  return (
    <div aria-hidden className="min-h-9 border-t border-line bg-raised px-4 py-2 text-sm [overflow-wrap:anywhere]">
      {row && (
        <>
          <span className="text-muted">{t('correct.cell', { column: heading, row: row.sheetRow })}: </span>
          <span dir="auto" className="whitespace-pre-line">
            {valueOf(row, column, typed)}
          </span>
          {texts.map((text) => (
            <span key={text} className="mt-0.5 block text-xs text-muted">
              {text}
            </span>
          ))}
        </>
      )}
    </div>
  );
}
