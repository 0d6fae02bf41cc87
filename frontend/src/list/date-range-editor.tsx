import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dayOf, isDay } from '@/lib/dates';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { RadioCard, RadioCardGroup } from '@/ui/radio-card';
import { DATE_PRESETS, formatDateValues, isDatePreset, presetRange } from './date-values';
import type { FilterValue } from './filters-codec';

interface DateRangeEditorProps {
  name: string;
  values: FilterValue[];
  timeZone: string;
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

export function DateRangeEditor({ name, values, timeZone, onChange }: DateRangeEditorProps) {
  const { t } = useTranslation('list');
  const [days, setDays] = useState(() => initialDays(values, timeZone));
  const preset = values.length === 1 ? values[0]?.value : undefined;
  const custom = preset === undefined && values.length === 2;
  const [choosing, setChoosing] = useState(custom);

  function changeDays(next: [string, string]) {
    setDays(next);
    onChange(
      next.every(isDay)
        ? next.map((value) => ({ label: formatDateValues([value, value], timeZone), value }))
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
            changeDays(days);
          }}
        />
      </RadioCardGroup>
      {choosing && (
        <div className="grid grid-cols-2 gap-2">
          {(['from', 'to'] as const).map((end, index) => (
            <Field key={end} label={t(`dates.${end}`)}>
              <Input
                type="date"
                size={32}
                value={days[index]}
                onChange={({ target }) =>
                  changeDays(index === 0 ? [target.value, days[1]] : [days[0], target.value])
                }
              />
            </Field>
          ))}
        </div>
      )}
    </div>
  );
}
