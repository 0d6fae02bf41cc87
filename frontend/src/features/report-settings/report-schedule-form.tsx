import { useId } from 'react';
import { type FieldValues, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { activeUserLookup } from '@/domain/lookups/lookups';
import { UsersField } from '@/domain/lookups/users-field';
import { type BoundField, defineForm, type FormField } from '@/form/define-form';
import { SelectField, TextField } from '@/form/fields';
import { select } from '@/form/kinds';
import { limits } from '@/form/limits';
import { isTimeZoneName } from '@/lib/dates';
import type { ReportSchedule } from './queries';

type Cadence = ReportSchedule['cadence'];
type Weekday = NonNullable<ReportSchedule['weekday']>;

const CADENCES = ['daily', 'weekdays', 'weekly', 'monthly'] as const satisfies readonly Cadence[];
const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const satisfies readonly Weekday[];
/** A report by mail is a table, so there is no PDF. */
export const FORMATS = ['xlsx', 'csv'] as const satisfies readonly ReportSchedule['format'][];

interface Values {
  cadence: Cadence;
}

const cadenceOf = (values: object) => (values as Values).cadence;

/** Only for weekly schedules. The choice is kept while another cadence is selected. */
const weekday: FormField<Weekday, Weekday | null, Weekday | null> = {
  empty: 'monday',
  fill: (stored) => stored ?? 'monday',
  send: (value, { values }) => (cadenceOf(values) === 'weekly' ? value : null),
  draw: (bound, { form }) => <WeekdayField {...bound} form={form} />,
};

/** Only for monthly schedules. */
const monthDay: FormField<string, number | null, number | null> = {
  hint: 'report-settings:schedule.monthDayHint',
  empty: '1',
  rules: (t) => ({
    validate: {
      validate: (day, values) =>
        cadenceOf(values) !== 'monthly' ||
        (/^\s*\d{1,2}\s*$/.test(day) && Number(day) >= 1 && Number(day) <= 31) ||
        t('report-settings:schedule.monthDayRange'),
    },
  }),
  fill: (stored) => String(stored ?? 1),
  send: (value, { values }) => (cadenceOf(values) === 'monthly' ? Number(value) : null),
  draw: (bound, { form }) => <MonthDayField {...bound} form={form} />,
};

const time: FormField<string, string, string> = {
  hint: 'report-settings:schedule.timeHint',
  empty: '07:00',
  rules: (t) => ({
    validate: {
      validate: (text) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text.trim()) || t('report-settings:schedule.timeInvalid'),
    },
  }),
  fill: (stored) => stored,
  send: (value) => value.trim(),
  draw: (bound) => <TextField {...bound} autoComplete="off" className="w-32" />,
};

const timeZone: FormField<string, string, string> = {
  empty: 'UTC',
  initial: (organization) => organization,
  rules: (t) => ({
    validate: { validate: (text) => isTimeZoneName(text.trim()) || t('report-settings:schedule.timeZoneInvalid') },
  }),
  fill: (stored) => stored,
  send: (value) => value.trim(),
  draw: (bound) => <TimeZoneField {...bound} />,
};

const recipients: FormField<string[], readonly string[], string[]> = {
  empty: [],
  rules: (t) => ({
    validate: {
      validate: (names) => {
        if (names.length === 0) return t('report-settings:schedule.recipientsNeeded');
        const most = limits.reportRecipients;
        return names.length <= most || t('report-settings:schedule.recipientsMost', { most });
      },
    },
  }),
  fill: (stored) => [...stored],
  send: (value) => value,
  draw: (bound, { t }) => (
    <UsersField
      {...bound}
      lookup={activeUserLookup}
      listLabel={t('report-settings:schedule.recipientsChosen')}
      hint={t('report-settings:schedule.recipientsHint')}
    />
  ),
};

/** Declares the fields of a schedule. */
export const reportScheduleForm = defineForm({
  labels: 'report-settings:schedule.fields',
  className: '',
  fields: {
    cadence: select<Cadence>({ values: CADENCES, names: 'report-settings:schedule.cadences', initially: 'weekdays' }),
    weekday,
    monthDay,
    time,
    timeZone,
    recipients,
    format: select<ReportSchedule['format']>({ values: FORMATS, names: 'report-settings:formats', initially: 'xlsx' }),
  },
});

type Drawn<Value> = BoundField<Value> & { form: UseFormReturn<FieldValues> };

const useCadence = ({ control }: UseFormReturn<FieldValues>) => useWatch({ control, name: 'cadence' }) as Cadence;

function WeekdayField({ form, ...bound }: Drawn<Weekday>) {
  const { t } = useTranslation('report-settings');
  if (useCadence(form) !== 'weekly') return null;
  return (
    <SelectField {...bound}>
      {WEEKDAYS.map((day) => (
        <option key={day} value={day}>
          {t(`schedule.weekdays.${day}`)}
        </option>
      ))}
    </SelectField>
  );
}

function MonthDayField({ form, ...bound }: Drawn<string>) {
  if (useCadence(form) !== 'monthly') return null;
  return <TextField {...bound} inputMode="numeric" autoComplete="off" className="w-32" />;
}

/** Takes the name of a time zone, and suggests those that the browser knows. */
function TimeZoneField(bound: BoundField<string>) {
  const listId = useId();
  return (
    <div>
      <TextField {...bound} list={listId} autoComplete="off" autoCapitalize="none" spellCheck={false} />
      <datalist id={listId}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </datalist>
    </div>
  );
}
