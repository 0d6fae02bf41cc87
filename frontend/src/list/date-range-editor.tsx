import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addDays, dayOf, fromWallTime, isDay, toWallTime } from '@/lib/dates';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { RadioCard, RadioCardGroup } from '@/ui/radio-card';
import { DATE_PRESETS, formatDateValues, isDatePreset, presetRange } from './date-values';
import type { FilterValue } from './filters-codec';

interface DateRangeEditorProps {
  name: string;
  values: FilterValue[];
  timeZone: string;
  /** Asks for times of day as well. */
  times: boolean;
  onChange: (values: FilterValue[]) => void;
}

/** A filter that came as two instants is edited as the days they lie in. */
function initialDays(values: FilterValue[], timeZone: string): [string, string] {
  const [first, second] = values.map(({ value }) => value);
  if (first === undefined || isDatePreset(first)) {
    const { from, to } = presetRange(first ?? 'last7days', timeZone);
    return [from, to];
  }
  if (isDay(first)) return [first, second ?? first];
  return [
    dayOf(new Date(first), timeZone),
    // The end is excluded, so midnight belongs to the day before it.
    dayOf(new Date(Date.parse(second ?? first) - 1), timeZone),
  ];
}

/** As clocks of the organisation show them. */
function initialTimes(values: FilterValue[], timeZone: string): [string, string] {
  const [first, second] = values.map(({ value }) => value);
  if (first !== undefined && second !== undefined && !isDay(first)) {
    return [toWallTime(first, timeZone), toWallTime(second, timeZone)];
  }
  const [from, to] = initialDays(values, timeZone);
  return [`${from}T00:00`, `${addDays(to, 1)}T00:00`];
}

export function DateRangeEditor(props: DateRangeEditorProps) {
  const { name, values, timeZone, times, onChange } = props;
  const { t } = useTranslation('list');
  const [ends, setEnds] = useState(() => (times ? initialTimes : initialDays)(values, timeZone));
  const preset = values.length === 1 ? values[0]?.value : undefined;
  const custom = preset === undefined && values.length === 2;
  const [choosing, setChoosing] = useState(custom);

  function changeEnds(next: [string, string]) {
    setEnds(next);
    const read = next.map((end) => (times ? fromWallTime(end, timeZone) : isDay(end) && end));
    const [from, to] = read;
    // Two times are asked for as they are, so an end before its start would match nothing.
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
        {DATE_PRESETS.map((value) => (
          <RadioCard
            key={value}
            name={name}
            label={t(`dates.${value}`)}
            className="basis-[46%]"
            checked={!choosing && preset === value}
            onChange={() => {
              setChoosing(false);
              onChange([{ label: t(`dates.${value}`), value }]);
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
            <Field key={end} label={t(`dates.${end}`)}>
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
