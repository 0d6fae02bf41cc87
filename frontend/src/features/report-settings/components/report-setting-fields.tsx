import { RefreshCw } from 'lucide-react';
import { type FieldError, type UseFormReturn, useController, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { CheckboxField } from '@/form/checkbox-field';
import { ruleMessage } from '@/form/rule-message';
import { SelectField } from '@/form/select-field';
import { TextField } from '@/form/text-field';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { FORMATS, GRANULARITIES, REPORT_KEYS } from '../kinds';
import { MAX_DAYS, NAME_LENGTH, type ReportSettingValues } from '../report-setting-values';
import { useReportMembers } from '../use-report-members';
import { ColumnsField } from './columns-field';
import { FiltersField } from './filters-field';
import { GroupingField } from './grouping-field';
import { SortField } from './sort-field';

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
