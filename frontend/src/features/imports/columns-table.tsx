import { ArrowRight, CircleCheck, CircleHelp, type LucideIcon, Minus, Sparkles, TriangleAlert, UserCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useNarrowScreen } from '@/ui/use-narrow-screen';
import { Select } from '@/ui/input';
import { Table } from '@/ui/table';
import { Tag, type Tone } from '@/ui/tag';
import type { ImportColumn, ImportMapping } from './mapping-queries';

type Badge = ImportColumn['confidence'] | 'own' | 'skipped';

const badges: Record<Badge, { icon: LucideIcon; tone: Tone }> = {
  exact: { icon: CircleCheck, tone: 'ok' },
  saved: { icon: CircleCheck, tone: 'ok' },
  likely: { icon: Sparkles, tone: 'info' },
  check: { icon: TriangleAlert, tone: 'warn' },
  own: { icon: UserCheck, tone: 'accent' },
  none: { icon: CircleHelp, tone: 'idle' },
  skipped: { icon: Minus, tone: 'idle' },
};

/** Returns why a column has its field: as proposed, or as the user chose. */
export function badgeOf({ field, confidence, examples }: ImportColumn, chosen: string | null): Badge {
  if (chosen !== null) return chosen === field ? confidence : 'own';
  return field === null && examples.length > 0 ? 'none' : 'skipped';
}

interface ColumnsTableProps {
  caption: string;
  /** Name of the sheet, if it isn't the only one that is read. */
  sheet?: string;
  columns: readonly ImportColumn[];
  fields: ImportMapping['fields'];
  chosen: readonly (string | null)[];
  /** Fields that columns of another sheet have. */
  taken: readonly (string | null)[];
  disabled: boolean;
  onChoose: (fields: (string | null)[]) => void;
}

interface Row extends ImportColumn {
  index: number;
}

/** The columns of the file with their values, and the field that each is imported to. */
export function ColumnsTable(props: ColumnsTableProps) {
  const { caption, columns, chosen } = props;
  const { t } = useTranslation('imports');
  const narrow = useNarrowScreen();
  const rows: Row[] = columns.map((column, index) => ({ ...column, index }));
  const nameOf = ({ heading, index }: Row) => heading || t('mapping.nameless', { number: index + 1 });
  const badge = (row: Row) => <ConfidenceTag badge={badgeOf(row, chosen[row.index] ?? null)} />;
  const field = (row: Row) => <FieldSelect {...props} index={row.index} name={nameOf(row)} />;
  const isDoubtful = (row: Row) => badgeOf(row, chosen[row.index] ?? null) === 'check';

  if (narrow) {
    return (
      <ul aria-label={caption} className="divide-y divide-line border-t border-line">
        {rows.map((row) => (
          <li key={row.index} className={isDoubtful(row) ? 'bg-warn-soft/50 px-4 py-3' : 'px-4 py-3'}>
            <div className="flex items-start justify-between gap-3">
              <p className="min-w-0 text-sm font-medium wrap-anywhere">{nameOf(row)}</p>
              {badge(row)}
            </div>
            <Samples values={row.examples} />
            <div className="mt-2">{field(row)}</div>
          </li>
        ))}
      </ul>
    );
  }
  return (
    <Table
      look="texts"
      caption={caption}
      columns={[
        {
          id: 'heading',
          header: t('mapping.heading'),
          render: nameOf,
          names: true,
          cellClassName: 'font-medium wrap-anywhere align-middle!',
        },
        {
          id: 'examples',
          header: t('mapping.examples'),
          render: ({ examples }) => <Samples values={examples} />,
          cellClassName: 'align-middle!',
        },
        {
          id: 'field',
          header: <span className="ps-6">{t('mapping.field')}</span>,
          render: (row) => (
            <span className="flex items-center gap-2">
              <ArrowRight aria-hidden className="size-4 shrink-0 text-muted" />
              {field(row)}
            </span>
          ),
          cellClassName: 'w-52 align-middle! xl:w-60',
        },
        {
          id: 'confidence',
          header: t('mapping.confidence'),
          render: badge,
          cellClassName: 'w-32 align-middle!',
        },
      ]}
      rows={rows}
      rowKey={({ index }) => String(index)}
      rowClassName={(row) => isDoubtful(row) && 'bg-warn-soft/50'}
    />
  );
}

function ConfidenceTag({ badge }: { badge: Badge }) {
  const { t } = useTranslation('imports');
  const { icon, tone } = badges[badge];
  return (
    <Tag icon={icon} tone={tone}>
      {t(`mapping.badges.${badge}`)}
    </Tag>
  );
}

function Samples({ values }: { values: readonly string[] }) {
  const { t } = useTranslation('imports');
  if (values.length === 0) return <span className="text-sm text-muted">{t('mapping.noValues')}</span>;
  return (
    <ul className="flex flex-wrap gap-1.5 max-md:mt-1.5">
      {values.map((value, at) => (
        <li
          key={at}
          dir="auto"
          data-tip={value}
          className="max-w-full truncate rounded-box bg-raised px-1.5 py-0.5 text-xs text-muted"
        >
          {value}
        </li>
      ))}
    </ul>
  );
}

interface FieldSelectProps extends ColumnsTableProps {
  index: number;
  name: string;
}

function FieldSelect({ sheet, columns, fields, chosen, taken, disabled, onChoose, index, name }: FieldSelectProps) {
  const { t } = useTranslation('imports');
  const own = chosen[index] ?? '';
  const joined = columns
    .map(({ heading }, at) => ({ at, name: heading || t('mapping.nameless', { number: at + 1 }) }))
    .filter(({ at }) => at !== index && own !== '' && chosen[at] === own);
  return (
    <span className="min-w-0 flex-1">
      <Select
        aria-label={sheet ? t('mapping.fieldOfSheet', { name, sheet }) : t('mapping.fieldOf', { name })}
        value={own}
        disabled={disabled}
        onChange={({ target }) => onChoose(chosen.with(index, target.value === '' ? null : target.value))}
      >
        <option value="">{t('mapping.leaveOut')}</option>
        {fields.map((field) => (
          <option
            key={field.name}
            value={field.name}
            disabled={
              field.name !== own && !field.canJoin && (chosen.includes(field.name) || taken.includes(field.name))
            }
          >
            {field.required ? t('mapping.requiredField', { name: field.label }) : field.label}
          </option>
        ))}
      </Select>
      {joined.length > 0 && (
        <span className="mt-1 block text-xs text-muted">{t('mapping.joined', { names: joined.map((it) => it.name).join(', ') })}</span>
      )}
    </span>
  );
}
