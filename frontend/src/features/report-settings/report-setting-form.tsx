import { Plus, RefreshCw, X } from 'lucide-react';
import { createContext, type ReactNode, use, useMemo, useRef, useState } from 'react';
import { type FieldValues, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { ResultOf } from '@/data/graphql';
import { type RecordResult, useRecord } from '@/data/use-record';
import { DISPATCH, fieldOfMember } from '@/domain/analytics/delivery-filters';
import { filters as listFields } from '@/domain/delivery-list/filters';
import { type BoundField, defineForm, type FormField } from '@/form/define-form';
import { SelectField, TextField } from '@/form/fields';
import { select, text, toggle } from '@/form/kinds';
import { ruleMessage } from '@/form/rule-message';
import { useText } from '@/i18n/texts';
import type { FilterValue } from '@/list/filters-codec';
import { CHOICE_OPERATORS, type Lookup, TEXT_OPERATORS } from '@/list/resource';
import { TextValuesEditor } from '@/list/text-values-editor';
import { useLookup } from '@/list/use-lookup';
import { Button, IconButton } from '@/ui/button';
import { Field, FieldGroup } from '@/ui/field';
import { Select } from '@/ui/input';
import { Note } from '@/ui/note';
import { ColumnsField, GroupingField, SortField } from './columns-field';
import { granularity } from './granularity-field';
import { type ReportMember, reportFilterMembersQuery, reportMembersQuery, type ReportSetting } from './queries';
import {
  FORMATS,
  MAX_DAYS,
  NAME_LENGTH,
  REPORT_KEYS,
  type ReportColumn,
  type ReportFilter,
  type ReportSort,
} from './report-setting-values';

/** A form field whose value is a list. `fill` drops the fields that GraphQL adds to its entries. */
type ListField<Entry> = FormField<Entry[], readonly Entry[], Entry[]>;

type ReportKey = ReportSetting['reportKey'];

const reportKey: FormField<ReportKey, ReportKey, ReportKey> = {
  ...select<ReportKey>({ values: REPORT_KEYS, names: 'report-settings:keys', initially: 'deliveries', hint: 'report-settings:keyHint' }),
  draw: (bound, { form }) => <ReportKeyField {...bound} form={form} />,
};

const columns: ListField<ReportColumn> = {
  empty: [],
  rules: (t) => ({
    validate: {
      validate: (chosen, values) => {
        if (chosen.length === 0) return t('report-settings:columns.chooseOne');
        const isUngrouped = chosen.some(({ member, visible }) => member === DISPATCH && visible) && !values.granularity;
        return !isUngrouped || t('report-settings:columns.needsGranularity');
      },
    },
  }),
  fill: (stored) => stored.map(({ member, label, visible, width }) => ({ member, label, visible, width })),
  send: (value) => value.map((column) => ({ ...column, label: column.label.trim() })),
  draw: (bound, { form }) => <MemberColumns {...bound} form={form} />,
};

const defaultFilters: ListField<ReportFilter> = {
  empty: [],
  rules: (t) => ({
    validate: {
      validate: (rows) => rows.every(({ values }) => values.length > 0) || t('report-settings:filters.needValue'),
    },
  }),
  fill: (stored) => stored.map(({ key, operator, values }) => ({ key, operator, values })),
  send: (value) => value,
  draw: ({ value, onChange, label, error }) => (
    <FiltersField {...{ value, onChange, label }} error={ruleMessage(label, error)} />
  ),
};

const rangeDays: FormField<string, number, number> = {
  hint: (t) => t('report-settings:rangeHint', { most: MAX_DAYS }),
  empty: '7',
  rules: () => ({ required: true, pattern: /^\s*\d+\s*$/, min: 1, max: MAX_DAYS, deps: ['granularity'] }),
  fill: String,
  send: Number,
  draw: (bound) => <TextField {...bound} inputMode="numeric" autoComplete="off" className="w-32" />,
};

const groupBy: ListField<string> = {
  empty: [],
  fill: (stored) => [...stored],
  send: (value) => value,
  draw: (bound, { form }) => <MemberGrouping {...bound} form={form} />,
};

const sort: ListField<ReportSort> = {
  empty: [],
  fill: (stored) => stored.map(({ member, direction }) => ({ member, direction })),
  send: (value) => value,
  draw: (bound, { form }) => <MemberSort {...bound} form={form} />,
};

/** Declares the fields of a saved report. */
export const reportSettingForm = defineForm({
  labels: 'report-settings:fields',
  className: 'max-w-[720px]',
  around: MembersProvider,
  fields: {
    name: text({ maxLength: NAME_LENGTH }),
    reportKey,
    columns,
    defaultFilters,
    rangeDays,
    granularity,
    groupBy,
    sort,
    format: select<ReportSetting['format']>({
      values: FORMATS,
      names: 'report-settings:formats',
      initially: 'xlsx',
      hint: 'report-settings:formatHint',
    }),
    isActive: toggle({ hint: 'report-settings:activeHint', initially: true }),
  },
});

const Members = createContext<RecordResult<ReportMember[]> | undefined>(undefined);
const FilterMembers = createContext<RecordResult<ReportMember[]> | undefined>(undefined);
const noMembers: readonly ReportMember[] = [];
const useMembers = () => use(Members)?.value ?? noMembers;

interface MembersProviderProps {
  form: UseFormReturn<FieldValues>;
  children: ReactNode;
}

/** Loads the members available for the chosen kind of report, and those of filters. */
function MembersProvider({ form, children }: MembersProviderProps) {
  const chosen = useWatch({ control: form.control, name: 'reportKey' }) as ReportKey;
  const members = useRecord({
    document: reportMembersQuery,
    variables: { reportKey: chosen },
    typenames: ['ReportMember'],
    read: ({ reportMembers }) => reportMembers,
  });
  const filterable = useRecord({
    document: reportFilterMembersQuery,
    variables: {},
    typenames: ['ReportMember'],
    read: filterMembers,
  });
  return (
    <Members value={members}>
      <FilterMembers value={filterable}>{children}</FilterMembers>
    </Members>
  );
}

function filterMembers({ variances, shipments }: ResultOf<typeof reportFilterMembersQuery>): ReportMember[] {
  const found = new Map([...shipments, ...variances].map((own) => [own.member, own]));
  return [...found.values()].filter(({ kind }) => kind === 'dimension');
}

type Drawn<Value> = BoundField<Value> & { form: UseFormReturn<FieldValues> };

function ReportKeyField({ form, onChange, ...bound }: Drawn<ReportKey>) {
  const { t } = useTranslation(['report-settings', 'common']);
  const failed = [use(Members), use(FilterMembers)].find((members) => members?.error);
  return (
    <>
      <SelectField
        {...bound}
        onChange={(event) => {
          onChange(event);
          // Members of another kind of report do not apply to this one. Filters may use those of all kinds.
          for (const field of ['columns', 'groupBy', 'sort']) {
            form.setValue(field, [], { shouldDirty: true });
          }
        }}
      >
        {REPORT_KEYS.map((key) => (
          <option key={key} value={key}>
            {t(`keys.${key}`)}
          </option>
        ))}
      </SelectField>
      {failed && (
        <Note
          tone="bad"
          role="alert"
          title={t('membersFailed')}
          action={
            <Button size={28} icon={RefreshCw} onClick={failed.retry}>
              {t('retry', { ns: 'common' })}
            </Button>
          }
        />
      )}
    </>
  );
}

function MemberColumns({ form, value, onChange, ref, label, error }: Drawn<ReportColumn[]>) {
  const granularity = useWatch({ control: form.control, name: 'granularity' }) as ReportSetting['granularity'] | '';
  function change(next: ReportColumn[]) {
    onChange(next);
    // Only selected columns can be sorted by, and only visible ones grouped by.
    const has = (member: string) => next.some((column) => column.member === member);
    const shows = (member: string) => next.some((column) => column.member === member && column.visible);
    const groups = form.getValues('groupBy') as string[];
    const sorts = form.getValues('sort') as ReportSort[];
    if (!groups.every(shows)) form.setValue('groupBy', groups.filter(shows), { shouldDirty: true });
    if (!sorts.every(({ member }) => has(member))) {
      form.setValue('sort', sorts.filter(({ member }) => has(member)), { shouldDirty: true });
    }
  }
  return (
    <ColumnsField
      ref={ref}
      label={label}
      error={ruleMessage(label, error)}
      members={useMembers()}
      // Rows show a time only if they are grouped by it.
      isOffered={({ kind }) => kind !== 'time' || Boolean(granularity)}
      value={value}
      onChange={change}
    />
  );
}

/** Returns the selected columns with their titles. */
function useColumns({ control }: UseFormReturn<FieldValues>) {
  const members = useMembers();
  const chosen = useWatch({ control, name: 'columns' }) as ReportColumn[];
  return chosen.map(({ member, label, visible }) => {
    const own = members.find((it) => it.member === member);
    return { member, title: label.trim() || (own?.title ?? member), kind: own?.kind, visible };
  });
}

function MemberGrouping({ form, value, onChange, label, error }: Drawn<string[]>) {
  const dimensions = useColumns(form).filter(({ kind, visible }) => kind === 'dimension' && visible);
  return <GroupingField {...{ label, value, onChange }} error={ruleMessage(label, error)} columns={dimensions} />;
}

function MemberSort({ form, value, onChange, label, error }: Drawn<ReportSort[]>) {
  return <SortField {...{ label, value, onChange }} error={ruleMessage(label, error)} columns={useColumns(form)} />;
}

interface FiltersFieldProps {
  label: string;
  error: string | undefined;
  value: ReportFilter[];
  onChange: (filters: ReportFilter[]) => void;
}

/** Edits the filters that are set when the report is opened. */
function FiltersField({ label, error, value, onChange }: FiltersFieldProps) {
  const { t } = useTranslation('report-settings');
  const adder = useRef<HTMLButtonElement>(null);
  const dimensions = use(FilterMembers)?.value ?? noMembers;
  const [first] = dimensions;

  function change(at: number, filter: ReportFilter) {
    onChange(value.map((entry, index) => (index === at ? filter : entry)));
  }

  function remove(at: number) {
    onChange(value.filter((_, index) => index !== at));
    // The button that had the focus was removed, so focus the button that adds a filter.
    adder.current?.focus();
  }

  return (
    <FieldGroup legend={label} error={error} hint={t('filters.hint')}>
      <div className="flex flex-col gap-2">
        {value.map((filter, index) => (
          <FilterRow
            // Entries have no identity besides their position.
            key={index}
            place={index + 1}
            dimensions={dimensions}
            filter={filter}
            onChange={(next) => change(index, next)}
            onRemove={() => remove(index)}
          />
        ))}
        <Button
          ref={adder}
          size={28}
          icon={Plus}
          disabled={!first}
          className="self-start"
          onClick={() => first && onChange([...value, emptyFilter(first.member)])}
        >
          {t('filters.add')}
        </Button>
      </div>
    </FieldGroup>
  );
}

const emptyFilter = (member: string): ReportFilter => ({ key: member, operator: 'equals', values: [] });

function lookupIn(options: readonly FilterValue[]): Lookup {
  return {
    limit: options.length,
    search: (_client, text) =>
      Promise.resolve(options.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))),
  };
}

/**
 * Returns the values of a dimension that people know by their labels, such as a status. Undefined for dimensions whose
 * values are typed.
 */
function useChoices(member: string): { lookup: Lookup; options: readonly FilterValue[] } | undefined {
  const textOf = useText();
  const field = listFields.find(({ key }) => key === fieldOfMember(member));
  const own = useMemo(
    () => field && 'options' in field && field.options.map(({ value, labelKey }) => ({ value, label: textOf(labelKey) })),
    [field, textOf],
  );
  const lookup = useMemo(() => {
    if (own) return lookupIn(own);
    return field?.kind === 'lookup' ? field.lookup : undefined;
  }, [field, own]);
  const found = useLookup(own ? undefined : lookup, '');
  return lookup && { lookup, options: own || found.options };
}

const choiceOperators: readonly string[] = CHOICE_OPERATORS;

interface FilterRowProps {
  place: number;
  dimensions: readonly ReportMember[];
  filter: ReportFilter;
  onChange: (filter: ReportFilter) => void;
  onRemove: () => void;
}

function FilterRow({ place, dimensions, filter, onChange, onRemove }: FilterRowProps) {
  const { t } = useTranslation(['report-settings', 'list']);
  const [typed, setTyped] = useState('');
  const { key, operator, values } = filter;
  const choices = useChoices(key);
  const labelOf = (value: string) => choices?.options.find((option) => option.value === value)?.label ?? value;
  // An earlier release offered all operators for every field.
  const operators = TEXT_OPERATORS.filter(
    (entry) => !choices || choiceOperators.includes(entry) || entry === operator,
  );

  function add(next: readonly string[], text: string) {
    setTyped(text);
    if (next.join('\n') !== values.join('\n')) onChange({ ...filter, values: [...next] });
  }

  return (
    <div
      role="group"
      aria-label={t('filters.row', { place })}
      className="flex flex-wrap items-start gap-2 rounded-control border border-line p-2"
    >
      <Field label={t('filters.member')} className="min-w-36 flex-1">
        <Select
          size={32}
          value={key}
          onChange={({ target }) => {
            // Values of one field rarely apply to another.
            setTyped('');
            onChange(emptyFilter(target.value));
          }}
        >
          {dimensions.every(({ member }) => member !== key) && <option value={key}>{key}</option>}
          {dimensions.map(({ member, title }) => (
            <option key={member} value={member}>
              {title}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('operators.label', { ns: 'list' })} className="min-w-32">
        <Select
          size={32}
          value={operator}
          onChange={({ target }) => onChange({ ...filter, operator: target.value })}
        >
          {operators.map((entry) => (
            <option key={entry} value={entry}>
              {t(`operators.${entry}`, { ns: 'list' })}
            </option>
          ))}
        </Select>
      </Field>
      <div
        className="min-w-44 flex-1"
        // Leaving the input adds the typed value.
        onBlur={({ currentTarget, relatedTarget }) => {
          const text = typed.trim();
          if (choices || !text || currentTarget.contains(relatedTarget)) return;
          add(values.includes(text) ? values : [...values, text], '');
        }}
      >
        <TextValuesEditor
          // Suggestions of one field do not apply to another.
          key={key}
          values={values.map((value) => ({ label: labelOf(value), value }))}
          text={typed}
          lookup={choices?.lookup}
          freeText={!choices}
          valuesBelow
          onChange={(next, text) => add(next.map(({ value }) => value), text)}
        />
      </div>
      <IconButton
        icon={X}
        size={28}
        label={t('filters.remove', { place })}
        onClick={onRemove}
      />
    </div>
  );
}
