import { Plus, RefreshCw, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { type FieldError, useController, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useRecord } from '@/data/use-record';
import { CheckboxField } from '@/form/choice-fields';
import { SelectField, TextField } from '@/form/fields';
import { ruleMessage } from '@/form/rule-message';
import { TEXT_OPERATORS } from '@/list/resource';
import { TextValuesEditor } from '@/list/text-values-editor';
import { Button, IconButton } from '@/ui/button';
import { Field, FieldGroup } from '@/ui/field';
import { Note } from '@/ui/note';
import { Select } from '@/ui/input';
import { ColumnsField, GroupingField, SortField } from './columns-field';
import { type ReportMember, reportMembersQuery, type ReportSetting } from './queries';
import {
  FORMATS,
  GRANULARITIES,
  MAX_DAYS,
  NAME_LENGTH,
  REPORT_KEYS,
  type ReportFilter,
  type ReportSettingValues,
} from './report-setting-values';

/** What a report of this kind may be made of. */
function useReportMembers(reportKey: ReportSetting['reportKey']) {
  return useRecord({
    document: reportMembersQuery,
    variables: { reportKey },
    typenames: ['ReportMember'],
    read: ({ reportMembers }) => reportMembers,
  });
}

/** The labels of the fields in their order on screen. */
export function useReportSettingLabels() {
  const { t } = useTranslation('report-settings');
  return {
    name: t('fields.name'),
    reportKey: t('fields.reportKey'),
    columns: t('fields.columns'),
    defaultFilters: t('fields.defaultFilters'),
    rangeDays: t('fields.rangeDays'),
    granularity: t('fields.granularity'),
    groupBy: t('fields.groupBy'),
    sort: t('fields.sort'),
    format: t('fields.format'),
    isActive: t('fields.isActive'),
  };
}

/** What a saved report is made of, new or not. */
export function ReportSettingFields({ form }: { form: UseFormReturn<ReportSettingValues> }) {
  const { t } = useTranslation(['report-settings', 'common']);
  const labels = useReportSettingLabels();
  const { control, register, setValue, formState } = form;
  const { errors } = formState;
  const messageOf = (name: keyof typeof labels) =>
    ruleMessage(labels[name], errors[name] as FieldError | undefined);
  const { value: known, error, retry } = useReportMembers(useWatch({ control, name: 'reportKey' }));
  const members = known ?? [];

  // In the order on screen: of several that are wrong, the form focuses the one it met first.
  const name = register('name', {
    required: true,
    maxLength: NAME_LENGTH,
    validate: { required: (text) => text.trim() !== '' },
  });
  const {
    field: { ref: columnsRef, value: columns, onChange: setColumns },
  } = useController({
    control,
    name: 'columns',
    rules: { validate: (chosen) => chosen.length > 0 || t('columns.chooseOne') },
  });
  const { field: filters } = useController({
    control,
    name: 'defaultFilters',
    rules: {
      validate: (rows) => rows.every(({ values }) => values.length > 0) || t('filters.needValue'),
    },
  });
  const rangeDays = register('rangeDays', {
    required: true,
    pattern: /^\s*\d+\s*$/,
    min: 1,
    max: MAX_DAYS,
  });
  const { field: groupBy } = useController({ control, name: 'groupBy' });
  const { field: sort } = useController({ control, name: 'sort' });

  const shown = columns.map(({ member, label }) => {
    const own = members.find((it) => it.member === member);
    return { member, title: label.trim() || (own?.title ?? member), kind: own?.kind };
  });

  /** What another report has is of another kind. */
  function forgetMembers() {
    for (const field of ['columns', 'defaultFilters', 'groupBy', 'sort'] as const) {
      setValue(field, [], { shouldDirty: true });
    }
  }

  function changeColumns(next: ReportSettingValues['columns']) {
    setColumns(next);
    // Groups and order are of columns.
    const has = (member: string) => next.some((column) => column.member === member);
    if (!groupBy.value.every(has)) groupBy.onChange(groupBy.value.filter(has));
    if (!sort.value.every(({ member }) => has(member))) {
      sort.onChange(sort.value.filter(({ member }) => has(member)));
    }
  }

  return (
    <>
      <TextField {...name} autoComplete="off" label={labels.name} error={errors.name} />
      <SelectField
        {...register('reportKey', { onChange: forgetMembers })}
        label={labels.reportKey}
        hint={t('keyHint')}
        error={errors.reportKey}
      >
        {REPORT_KEYS.map((key) => (
          <option key={key} value={key}>
            {t(`keys.${key}`)}
          </option>
        ))}
      </SelectField>
      {error && (
        <Note
          tone="bad"
          role="alert"
          title={t('membersFailed')}
          action={
            <Button size={28} icon={RefreshCw} onClick={retry}>
              {t('retry', { ns: 'common' })}
            </Button>
          }
        />
      )}
      <ColumnsField
        ref={columnsRef}
        label={labels.columns}
        error={messageOf('columns')}
        members={members}
        value={columns}
        onChange={changeColumns}
      />
      <FiltersField
        label={labels.defaultFilters}
        error={messageOf('defaultFilters')}
        members={members}
        value={filters.value}
        onChange={filters.onChange}
      />
      <TextField
        {...rangeDays}
        inputMode="numeric"
        autoComplete="off"
        label={labels.rangeDays}
        hint={t('rangeHint', { most: MAX_DAYS })}
        error={errors.rangeDays}
        className="w-32"
      />
      <SelectField
        {...register('granularity')}
        optional
        label={labels.granularity}
        error={errors.granularity}
        placeholder={t('granularities.none')}
      >
        {GRANULARITIES.map((granularity) => (
          <option key={granularity} value={granularity}>
            {t(`granularities.${granularity}`)}
          </option>
        ))}
      </SelectField>
      <GroupingField
        label={labels.groupBy}
        error={messageOf('groupBy')}
        columns={shown.filter(({ kind }) => kind === 'dimension')}
        value={groupBy.value}
        onChange={groupBy.onChange}
      />
      <SortField
        label={labels.sort}
        error={messageOf('sort')}
        columns={shown}
        value={sort.value}
        onChange={sort.onChange}
      />
      <SelectField {...register('format')} label={labels.format} error={errors.format}>
        {FORMATS.map((format) => (
          <option key={format} value={format}>
            {t(`formats.${format}`)}
          </option>
        ))}
      </SelectField>
      <CheckboxField
        {...register('isActive')}
        isSwitch
        label={labels.isActive}
        hint={t('activeHint')}
        error={errors.isActive}
      />
    </>
  );
}

interface FiltersFieldProps {
  label: string;
  error: string | undefined;
  members: readonly ReportMember[];
  value: ReportFilter[];
  onChange: (filters: ReportFilter[]) => void;
}

/** What the report is narrowed to when it opens. */
function FiltersField({ label, error, members, value, onChange }: FiltersFieldProps) {
  const { t } = useTranslation('report-settings');
  const adder = useRef<HTMLButtonElement>(null);
  const dimensions = members.filter(({ kind }) => kind === 'dimension');
  const [first] = dimensions;

  function change(at: number, filter: ReportFilter) {
    onChange(value.map((entry, index) => (index === at ? filter : entry)));
  }

  function remove(at: number) {
    onChange(value.filter((_, index) => index !== at));
    // The button that had the focus is gone.
    adder.current?.focus();
  }

  return (
    <FieldGroup legend={label} error={error} hint={t('filters.hint')}>
      <div className="flex flex-col gap-2">
        {value.map((filter, index) => (
          <FilterRow
            // They have no name but their place.
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
          onClick={() =>
            first && onChange([...value, { key: first.member, operator: 'equals', values: [] }])
          }
        >
          {t('filters.add')}
        </Button>
      </div>
    </FieldGroup>
  );
}

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
          onChange={({ target }) => onChange({ ...filter, key: target.value })}
        >
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
          {TEXT_OPERATORS.map((entry) => (
            <option key={entry} value={entry}>
              {t(`operators.${entry}`, { ns: 'list' })}
            </option>
          ))}
        </Select>
      </Field>
      <div
        className="min-w-44 flex-1"
        // What stands in the box when it is left is meant as a value.
        onBlur={({ currentTarget, relatedTarget }) => {
          const text = typed.trim();
          if (!text || currentTarget.contains(relatedTarget)) return;
          add(values.includes(text) ? values : [...values, text], '');
        }}
      >
        <TextValuesEditor
          values={values.map((value) => ({ label: value, value }))}
          text={typed}
          lookup={undefined}
          freeText
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
