import type { TFunction } from 'i18next';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { Field } from '@/ui/field';
import { Select } from '@/ui/input';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { badgeOf } from './columns-table';
import type { ImportColumnReading, ImportMapping } from './mapping-queries';
import type { ColumnChoices } from './use-columns-step';

interface ColumnsReadingProps {
  mapping: ImportMapping;
  choices: ColumnChoices;
  disabled: boolean;
  onChange: (changed: Partial<ColumnChoices>) => void;
}

const ORDERS = { mdy: 'month_first', dmy: 'day_first' } as const;
const SIGNS = { point: 'decimal_point', comma: 'decimal_comma' } as const;

const otherReadings = {
  month_first: 'day_first',
  day_first: 'month_first',
  decimal_point: 'decimal_comma',
  decimal_comma: 'decimal_point',
} as const;

const isDate = ({ reading }: ImportColumnReading) => reading === 'month_first' || reading === 'day_first';

/** How dates and numbers are read, with examples of the file, and its first row as it will be read. */
export function ColumnsReading({ mapping, choices, disabled, onChange }: ColumnsReadingProps) {
  const { t } = useTranslation('imports');
  const timeZone = useTimeZone();
  const id = useId();
  const dates = mapping.readings.filter(isDate);
  const numbers = mapping.readings.filter((reading) => !isDate(reading));
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Panel aria-labelledby={id}>
        <PanelHead id={id} title={t('reading.title')} />
        <div className="flex flex-col gap-4 px-4 pt-1 pb-4">
          {dates.length > 0 && (
            <div>
              <Field label={t('reading.dateOrder')}>
                <Select
                  value={choices.dateOrder ?? ''}
                  disabled={disabled}
                  onChange={({ target }) => onChange({ dateOrder: keyOf(ORDERS, target.value) })}
                >
                  <option value="">{automatic(t, dates, choices.dateOrder === null)}</option>
                  <option value="mdy">{t('reading.orders.mdy')}</option>
                  <option value="dmy">{t('reading.orders.dmy')}</option>
                </Select>
              </Field>
              <Examples readings={dates} />
            </div>
          )}
          {numbers.length > 0 && (
            <div>
              <Field label={t('reading.decimalSign')}>
                <Select
                  value={choices.decimalSign ?? ''}
                  disabled={disabled}
                  onChange={({ target }) => onChange({ decimalSign: keyOf(SIGNS, target.value) })}
                >
                  <option value="">{automatic(t, numbers, choices.decimalSign === null)}</option>
                  <option value="point">{t('reading.signs.point')}</option>
                  <option value="comma">{t('reading.signs.comma')}</option>
                </Select>
              </Field>
              <Examples readings={numbers} />
            </div>
          )}
          <dl className="text-sm">
            <dt className="font-medium">{t('reading.timeZone')}</dt>
            <dd className="text-muted">{t('reading.timeZoneOf', { timeZone })}</dd>
          </dl>
        </div>
      </Panel>
      <FirstRow mapping={mapping} />
      {mapping.columns.map((column, index) => {
        const chosen = choices.fields[index] ?? null;
        if (badgeOf(column, chosen) !== 'check') return null;
        const label = mapping.fields.find(({ name }) => name === chosen)?.label;
        return (
          <Note key={index} tone="warn" title={t('mapping.check.title', { name: column.heading })}>
            {t('mapping.check.text', { chosen: label, other: column.alternative })}
          </Note>
        );
      })}
    </div>
  );
}

function keyOf<Keys extends object>(keys: Keys, value: string): keyof Keys | null {
  return Object.hasOwn(keys, value) ? (value as keyof Keys) : null;
}

/** Names the choice that leaves the reading to the values, and what it comes to if all columns agree. */
function automatic(
  t: TFunction<'imports'>,
  readings: readonly ImportColumnReading[],
  isChosen: boolean,
): string {
  const [first, ...others] = new Set(readings.map(({ reading }) => reading));
  const known = isChosen && first !== undefined && others.length === 0;
  return known ? t('reading.automaticAs', { reading: t(`facts.readings.${first}`) }) : t('reading.automatic');
}

/** Values of the file, what each becomes, and what it would become in the other way. */
function Examples({ readings }: { readings: readonly ImportColumnReading[] }) {
  const { t } = useTranslation('imports');
  if (!readings.some(({ depends }) => depends)) {
    return <p className="mt-1.5 text-xs text-muted">{t('reading.independent')}</p>;
  }
  return readings
    .filter(({ depends }) => depends)
    .map(({ column, heading, reading, examples }) => (
      <div key={column} className="mt-2">
        {readings.length > 1 && <p className="text-xs font-medium wrap-anywhere">{heading}</p>}
        <ul aria-label={t('reading.examplesOf', { name: heading })} className="mt-1 flex flex-col gap-1.5">
          {examples.map(({ value, chosen, other }) => (
            <li key={value} className="text-sm">
              <p className="flex flex-wrap gap-x-1.5">
                <span className="text-muted">{value}</span>
                <span aria-hidden className="text-muted">
                  →
                </span>
                <span className="sr-only">{t('reading.becomes')}</span>
                <span className={chosen === null ? 'font-medium text-bad' : 'font-medium'}>
                  {chosen ?? t('reading.refused')}
                </span>
              </p>
              {other !== chosen && (
                <p className="text-xs text-muted">
                  {t('reading.otherwise', {
                    reading: t(`facts.readings.${otherReadings[reading]}`),
                    value: other ?? t('reading.refused'),
                  })}
                </p>
              )}
            </li>
          ))}
        </ul>
      </div>
    ));
}

function FirstRow({ mapping: { firstRow } }: { mapping: ImportMapping }) {
  const { t } = useTranslation('imports');
  const id = useId();
  if (!firstRow || firstRow.values.length === 0) return null;
  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('reading.firstRow', { row: firstRow.line })} />
      <dl className="flex flex-col gap-2 px-4 pt-0.5 pb-4 text-sm">
        {firstRow.values.map(({ field, label, text, problem }) => (
          <div key={field} className="flex justify-between gap-4">
            <dt className="shrink-0 text-muted">{label}</dt>
            <dd dir="auto" className="min-w-0 text-end wrap-anywhere">
              {text || <span className="text-muted">{t('reading.empty')}</span>}
              {problem !== null && <span className="mt-0.5 block text-xs text-bad">{problem}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
