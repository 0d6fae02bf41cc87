import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useText } from '@/i18n/texts';
import { addDays, dayOf, FIRST_YEAR, fromWallTime, isDay, LAST_YEAR, toWallTime } from '@/lib/dates';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { Field } from '@/ui/field';
import { Input, Select } from '@/ui/input';
import { Note } from '@/ui/note';
import { RadioCard, RadioCardGroup } from '@/ui/radio-card';
import {
  DATE_PRESETS,
  type DatePreset,
  formatDateValues,
  isRelativeDate,
  isRelativeDays,
  type RelativeDate,
  relativeRange,
} from './date-values';
import { relativeDateText } from './filter-text';
import { areWithinLimits, type Filter, type FilterOperator, type FilterValue, takesNoValues } from './filters-codec';
import type { FilterField, FilterOption } from './resource';
import { TextValuesEditor } from './text-values-editor';
import { focusUnsettled } from './unsettled-text';

interface FilterEditorProps {
  field: FilterField;
  filter: Filter | undefined;
  timeZone: string;
  /** Returns the filters of the list with the edited one. */
  merge: (filter: Filter) => Filter[];
  onApply: (filters: Filter[]) => void;
}

/** Puts the only value of a text filter into the input, ready to edit. */
function initialDraft(field: FilterField, filter: Filter | undefined) {
  const values = filter?.values ?? [];
  const [only] = values;
  if (field.kind === 'text' && only && values.length === 1) return { values: [], text: only.value };
  return { values, text: '' };
}

export function FilterEditor({ field, filter, timeZone, merge, onApply }: FilterEditorProps) {
  const { t } = useTranslation('list');
  const [operator, setOperator] = useState<FilterOperator>(filter?.operator ?? field.operators[0]);
  const [draft, setDraft] = useState(() => initialDraft(field, filter));
  const setValues = (values: FilterValue[], text = '') => setDraft({ values, text });
  const form = useRef<HTMLFormElement>(null);

  // Focus the value, because the condition comes first on screen but is rarely changed.
  useEffect(
    () => (form.current?.querySelector('input') ?? form.current?.querySelector('select'))?.focus(),
    [],
  );

  const typed = field.kind === 'text' ? draft.text.trim() : '';
  const isNew = typed && draft.values.every(({ value }) => value !== typed);
  const written = isNew ? [...draft.values, { label: typed, value: typed }] : draft.values;
  const needsValues = !takesNoValues(operator);
  const values = needsValues ? written : [];
  const isComplete = !needsValues || values.length > 0;
  const merged = merge({ key: field.key, operator, values });
  const isTooMuch = isComplete && !areWithinLimits(merged);

  return (
    <form
      ref={form}
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        // React events bubble from the popover's portal to the page.
        event.stopPropagation();
        if (focusUnsettled(event.currentTarget)) return;
        if (isComplete && !isTooMuch) onApply(merged);
      }}
    >
      {field.operators.length > 1 && (
        <Field label={t('operators.label')}>
          <Select
            size={32}
            value={operator}
            onChange={({ target }) =>
              setOperator(field.operators.find((entry) => entry === target.value) ?? operator)
            }
          >
            {field.operators.map((entry) => (
              <option key={entry} value={entry}>
                {t(`operators.${entry}`)}
              </option>
            ))}
          </Select>
        </Field>
      )}
      {needsValues && field.kind === 'date-range' && (
        <DateRangeEditor
          name={field.key}
          values={draft.values}
          timeZone={timeZone}
          presets={field.presets ?? DATE_PRESETS}
          times={field.times ?? false}
          onChange={setValues}
        />
      )}
      {needsValues && (field.kind === 'enum' || field.kind === 'yes-no') && (
        <ChoiceEditor options={field.options} values={draft.values} onChange={setValues} />
      )}
      {needsValues && (field.kind === 'text' || field.kind === 'lookup') && (
        <TextValuesEditor
          values={draft.values}
          text={draft.text}
          lookup={field.lookup}
          freeText={field.kind === 'text'}
          onChange={setValues}
        />
      )}
      {isTooMuch && <Note tone="bad" role="alert" title={t('tooManyValues')} />}
      <Button type="submit" variant="primary" disabled={!isComplete || isTooMuch}>
        {t('apply')}
      </Button>
    </form>
  );
}

interface ChoiceEditorProps {
  options: readonly FilterOption[];
  values: FilterValue[];
  onChange: (values: FilterValue[]) => void;
}

function ChoiceEditor({ options, values, onChange }: ChoiceEditorProps) {
  const { t } = useTranslation('list');
  const textOf = useText();
  return (
    <fieldset className="flex flex-col gap-0.5">
      <legend className="mb-1 text-sm font-medium">{t('values')}</legend>
      {options.map(({ value, labelKey }) => {
        const label = textOf(labelKey);
        const checked = values.some((entry) => entry.value === value);
        return (
          <Checkbox
            key={value}
            label={label}
            checked={checked}
            className="min-h-7 items-center pointer-coarse:min-h-11"
            onChange={() =>
              onChange(
                checked
                  ? values.filter((entry) => entry.value !== value)
                  : [...values, { label, value }],
              )
            }
          />
        );
      })}
    </fieldset>
  );
}

interface DateRangeEditorProps {
  name: string;
  values: FilterValue[];
  timeZone: string;
  presets: readonly DatePreset[];
  /** Whether the editor also asks for times of day. */
  times: boolean;
  onChange: (values: FilterValue[]) => void;
}

/** A filter of two instants is edited as the days that contain them. */
function initialDays(values: FilterValue[], timeZone: string): [string, string] {
  const [first, second] = values.map(({ value }) => value);
  if (first === undefined || isRelativeDate(first)) {
    const { from, to } = relativeRange(first && isRelativeDays(first) ? first : 'last7days', timeZone);
    return [from, to];
  }
  if (isDay(first)) return [first, second ?? first];
  return [
    dayOf(new Date(first), timeZone),
    // The end is exclusive, so midnight belongs to the day before.
    dayOf(new Date(Date.parse(second ?? first) - 1), timeZone),
  ];
}

/** Returns start and end of a range with times of day, in the organization's time zone. */
function initialTimes(values: FilterValue[], timeZone: string): [string, string] {
  const [first, second] = values.map(({ value }) => value);
  if (first !== undefined && second !== undefined && !isDay(first)) {
    return [toWallTime(first, timeZone), toWallTime(second, timeZone)];
  }
  const [from, to] = initialDays(values, timeZone);
  return [`${from}T00:00`, `${addDays(to, 1)}T00:00`];
}

/** Returns the presets, and the relative value of the filter if it is none of them. */
function offeredDates(values: FilterValue[], presets: readonly DatePreset[]): readonly RelativeDate[] {
  const [own] = values.map(({ value }) => value);
  const isOther = own !== undefined && isRelativeDays(own) && presets.every((preset) => preset !== own);
  return isOther ? [...presets, own] : presets;
}

function DateRangeEditor(props: DateRangeEditorProps) {
  const { name, values, timeZone, presets, times, onChange } = props;
  const { t } = useTranslation('list');
  const textOf = useText();
  const [offered] = useState(() => offeredDates(values, presets));
  const [ends, setEnds] = useState(() => (times ? initialTimes : initialDays)(values, timeZone));
  const preset = values.length === 1 ? values[0]?.value : undefined;
  const custom = preset === undefined && values.length === 2;
  const [choosing, setChoosing] = useState(custom);

  const read = (end: string) => (times ? fromWallTime(end, timeZone) : isDay(end) && end);
  // While a year is typed, its number starts with zeros.
  const isOutside = (end: string) => /^[1-9]/.test(end) && !read(end);

  function changeEnds(next: [string, string]) {
    setEnds(next);
    const [from, to] = next.map(read);
    // Unlike days, times are sent in the order in which they were entered. A range that ends before it starts would
    // match nothing.
    const isUsable = from && to && (!times || from < to);
    onChange(
      isUsable
        ? [from, to].map((value) => ({ label: formatDateValues([value, value], timeZone), value }))
        : [],
    );
  }

  return (
    <div className="flex flex-col gap-3">
      <RadioCardGroup legend={t('dates.period')}>
        {offered.map((value) => (
          <RadioCard
            key={value}
            name={name}
            label={relativeDateText(value, textOf)}
            className="basis-[46%]"
            checked={!choosing && preset === value}
            onChange={() => {
              setChoosing(false);
              onChange([{ label: relativeDateText(value, textOf), value }]);
            }}
          />
        ))}
        <RadioCard
          name={name}
          label={t('dates.custom')}
          className="basis-full"
          checked={choosing}
          onChange={() => {
            setChoosing(true);
            changeEnds(ends);
          }}
        />
      </RadioCardGroup>
      {choosing && (
        <div className={times ? 'grid gap-2' : 'grid grid-cols-2 gap-2'}>
          {(['from', 'to'] as const).map((end, index) => (
            <Field
              key={end}
              label={t(`dates.${end}`)}
              error={isOutside(ends[index] ?? '') ? t('dates.years', { first: FIRST_YEAR, last: LAST_YEAR }) : undefined}
            >
              <Input
                type={times ? 'datetime-local' : 'date'}
                size={32}
                value={ends[index]}
                onChange={({ target }) =>
                  changeEnds(index === 0 ? [target.value, ends[1]] : [ends[0], target.value])
                }
              />
            </Field>
          ))}
        </div>
      )}
    </div>
  );
}
