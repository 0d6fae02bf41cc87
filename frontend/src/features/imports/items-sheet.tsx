import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Field } from '@/ui/field';
import { Select } from '@/ui/input';
import { ColumnsTable } from './columns-table';
import type { ImportMapping } from './mapping-queries';
import type { ColumnChoices, ColumnsStep } from './use-columns-step';

/** The field by which items belong to deliveries. */
export const DOCUMENT = 'delivery_id';

const SHOWN_CELLS = 5;

interface ItemsSheetProps {
  step: ColumnsStep;
  mapping: ImportMapping;
  choices: ColumnChoices;
  disabled: boolean;
}

/** Which sheet has the items, if the chosen one has only the deliveries, and what its columns hold. */
export function ItemsSheet({ step, mapping, choices, disabled }: ItemsSheetProps) {
  const { t } = useTranslation('imports');
  const id = useId();
  const others = mapping.sheets.filter(({ chosen }) => !chosen);
  if (others.length === 0) return null;
  const { items } = choices;
  const shown = items && mapping.items?.sheet === items.sheet ? mapping.items : null;
  const taken = choices.fields.filter((name) => name !== DOCUMENT);
  return (
    <section aria-labelledby={id} className="border-t border-line">
      <div className="px-4 pt-3 pb-4">
        <h3 id={id} className="text-sm font-medium">
          {t('mapping.items.title')}
        </h3>
        <p className="text-sm text-muted">{t('mapping.items.text')}</p>
        <div className="mt-2 grid gap-4 sm:grid-cols-2">
          <Field label={t('mapping.items.sheet')}>
            <Select
              value={items?.sheet ?? ''}
              disabled={disabled}
              onChange={({ target }) => step.changeItems({ sheet: target.value })}
            >
              <option value="">{t('mapping.items.none')}</option>
              {others.map(({ name, rowCount }) => (
                <option key={name} value={name}>
                  {t('mapping.sheet.option', { name, count: rowCount, shown: formatCount(rowCount) })}
                </option>
              ))}
            </Select>
          </Field>
          {shown && (
            <HeaderRow
              label={t('mapping.items.header')}
              rows={shown.rows}
              line={shown.headerLine}
              disabled={disabled}
              onChoose={(headerLine) => step.changeItems({ sheet: shown.sheet, headerLine })}
            />
          )}
        </div>
      </div>
      {items && shown && (
        <ColumnsTable
          caption={t('mapping.items.columns', { name: shown.sheet })}
          sheet={shown.sheet}
          columns={shown.columns}
          fields={mapping.fields}
          chosen={items.fields}
          taken={taken}
          disabled={disabled}
          onChoose={(fields) => step.changeItems({ sheet: items.sheet, headerLine: shown.headerLine, fields })}
        />
      )}
    </section>
  );
}

interface HeaderRowProps {
  label: string;
  rows: ImportMapping['rows'];
  line: number;
  disabled: boolean;
  onChoose: (line: number) => void;
}

/** Which row of a sheet has the headings. */
export function HeaderRow({ label, rows, line, disabled, onChoose }: HeaderRowProps) {
  const { t } = useTranslation('imports');
  return (
    <Field label={label}>
      <Select value={line} disabled={disabled} onChange={({ target }) => onChoose(Number(target.value))}>
        {rows.map((row) => (
          <option key={row.line} value={row.line}>
            {t('mapping.header.row', { line: row.line, cells: row.cells.slice(0, SHOWN_CELLS).join(', ') })}
          </option>
        ))}
      </Select>
    </Field>
  );
}
