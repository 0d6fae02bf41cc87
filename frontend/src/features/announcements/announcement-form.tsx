import { Users, UsersRound } from 'lucide-react';
import { useState } from 'react';
import { type FieldError, useController, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { type AnnouncementSeverity, SEVERITIES, severityLooks } from '@/domain/announcements';
import { OFFICE_ROLES } from '@/auth/roles';
import { useRoleName } from '@/auth/use-auth';
import { useTimeZone } from '@/data/use-time-zone';
import { CheckboxField, RadioField } from '@/form/choice-fields';
import { TextareaField, TextField } from '@/form/fields';
import { dateTimeRules } from '@/form/date-text';
import { DateTimeField } from '@/form/date-field';
import { ruleMessage } from '@/form/rule-message';
import { fromWallTime, toWallTime } from '@/lib/dates';
import { TextValuesEditor } from '@/list/text-values-editor';
import { userLookup } from '@/domain/lookups/lookups';
import { CheckboxCard, CheckboxCardGroup } from '@/ui/checkbox';
import type { Announcement } from './queries';

/** The fields of the forms, named as the server names them when it refuses one. */
export interface AnnouncementValues {
  title: string;
  message: string;
  severity: AnnouncementSeverity;
  audience: 'everybody' | 'some';
  audienceRoles: string[];
  audienceUsers: string[];
  /** YYYY-MM-DDTHH:mm on a clock of the organisation. */
  startsAt: string;
  /** The same, and nothing at all for no end. */
  endsAt: string;
  isActive: boolean;
  dismissible: boolean;
}

/** In the order on screen. */
export const ANNOUNCEMENT_FIELDS = [
  'title',
  'message',
  'severity',
  'audienceRoles',
  'audienceUsers',
  'startsAt',
  'endsAt',
  'isActive',
  'dismissible',
] as const satisfies readonly (keyof AnnouncementValues)[];

const TITLE_LENGTH = 120;
const MESSAGE_LENGTH = 500;

/** A message is one paragraph: the banner has one line. */
export function oneParagraph(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
}

/** Characters as a person counts them, which is how the server does. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** One that concerns everybody from now on. */
export function newAnnouncement(timeZone: string, now: Date = new Date()): AnnouncementValues {
  return {
    title: '',
    message: '',
    severity: 'info',
    audience: 'everybody',
    audienceRoles: [],
    audienceUsers: [],
    startsAt: toWallTime(now, timeZone),
    endsAt: '',
    isActive: true,
    dismissible: true,
  };
}

export function announcementValues(announcement: Announcement, timeZone: string): AnnouncementValues {
  const { title, message, severity, isActive, dismissible } = announcement;
  const { audienceRoles, audienceUsers, startsAt, endsAt } = announcement;
  const some = audienceRoles.length + audienceUsers.length > 0;
  return {
    title,
    message,
    severity,
    audience: some ? 'some' : 'everybody',
    audienceRoles,
    audienceUsers,
    startsAt: toWallTime(startsAt, timeZone),
    endsAt: endsAt ? toWallTime(endsAt, timeZone) : '',
    isActive,
    dismissible,
  };
}

type Times = Pick<Announcement, 'startsAt' | 'endsAt'>;

/** The fields hold minutes: a time that nobody touched stays what it was, to the second. */
export function announcementInput(values: AnnouncementValues, timeZone: string, was?: Times) {
  const { title, message, severity, audience, isActive, dismissible } = values;
  const { audienceRoles, audienceUsers } = values;
  const instant = (text: string, before: string | null | undefined) =>
    before && toWallTime(before, timeZone) === text ? before : fromWallTime(text, timeZone);
  return {
    title: title.trim(),
    message: oneParagraph(message),
    severity,
    audienceRoles: audience === 'some' ? audienceRoles : [],
    audienceUsers: audience === 'some' ? audienceUsers : [],
    // The rules of the form let no text through that is no time.
    startsAt: instant(values.startsAt, was?.startsAt) ?? '',
    endsAt: values.endsAt ? (instant(values.endsAt, was?.endsAt) ?? null) : null,
    isActive,
    dismissible,
  };
}

/** The labels of the fields in their order on screen. */
export function useAnnouncementLabels() {
  const { t } = useTranslation('announcements');
  return {
    title: t('fields.title'),
    message: t('fields.message'),
    severity: t('fields.severity'),
    audience: t('fields.audience'),
    audienceRoles: t('fields.audienceRoles'),
    audienceUsers: t('fields.audienceUsers'),
    startsAt: t('fields.startsAt'),
    endsAt: t('fields.endsAt'),
    isActive: t('fields.isActive'),
    dismissible: t('fields.dismissible'),
  };
}

/** What can be said of an announcement, new or not. */
export function AnnouncementFields({ form }: { form: UseFormReturn<AnnouncementValues> }) {
  const { t } = useTranslation(['announcements', 'common']);
  const labels = useAnnouncementLabels();
  const timeZone = useTimeZone();
  const { control, register, formState } = form;
  const { errors } = formState;
  const length = lengthOf(oneParagraph(useWatch({ control, name: 'message' })));
  // In the order on screen: of several that are wrong, the form focuses the one it met first.
  const title = register('title', {
    required: true,
    validate: {
      required: (text) => text.trim() !== '',
      maxLength: (text) => lengthOf(text.trim()) <= TITLE_LENGTH,
    },
  });
  const message = register('message', {
    required: true,
    validate: {
      required: (text) => oneParagraph(text) !== '',
      maxLength: (text) => lengthOf(oneParagraph(text)) <= MESSAGE_LENGTH,
    },
  });
  const { field: startsAt } = useController({
    control,
    name: 'startsAt',
    rules: { ...dateTimeRules(), deps: ['endsAt'] },
  });
  const endRules = dateTimeRules({ optional: true });
  const { field: endsAt } = useController({
    control,
    name: 'endsAt',
    rules: {
      validate: {
        date: endRules.validate,
        // As the clock shows them, so that they compare as text.
        after: (text, values) => text === '' || text > values.startsAt || t('endsAfter'),
      },
    },
  });
  return (
    <>
      <TextField {...title} autoComplete="off" label={labels.title} error={errors.title} />
      <TextareaField
        {...message}
        label={labels.message}
        hint={t('messageHint', { length, most: MESSAGE_LENGTH })}
        error={errors.message}
      />
      <RadioField
        {...register('severity')}
        label={labels.severity}
        error={errors.severity}
        options={SEVERITIES.map((severity) => ({
          value: severity,
          label: t(`severity.${severity}`, { ns: 'common' }),
          icon: severityLooks[severity].icon,
        }))}
      />
      <AudienceField form={form} labels={labels} />
      <DateTimeField
        {...startsAt}
        label={labels.startsAt}
        hint={t('timesIn', { timeZone })}
        error={errors.startsAt as FieldError | undefined}
      />
      <DateTimeField
        {...endsAt}
        optional
        label={labels.endsAt}
        hint={t('endsHint')}
        error={errors.endsAt as FieldError | undefined}
      />
      <CheckboxField
        {...register('isActive')}
        isSwitch
        label={labels.isActive}
        hint={t('activeHint')}
        error={errors.isActive}
      />
      <CheckboxField
        {...register('dismissible')}
        isSwitch
        label={labels.dismissible}
        hint={t('dismissibleHint')}
        error={errors.dismissible}
      />
    </>
  );
}

interface AudienceFieldProps {
  form: UseFormReturn<AnnouncementValues>;
  labels: Record<'audience' | 'audienceRoles' | 'audienceUsers', string>;
}

/** Everybody, or those who hold one of the roles and those who are named. */
function AudienceField({ form, labels }: AudienceFieldProps) {
  const { t } = useTranslation(['announcements', 'users']);
  const roleName = useRoleName();
  const { control, register, formState } = form;
  const { errors } = formState;
  const some = useWatch({ control, name: 'audience' }) === 'some';
  const [typed, setTyped] = useState('');
  const { field: roles } = useController({
    control,
    name: 'audienceRoles',
    rules: {
      validate: (chosen, { audience, audienceUsers }) =>
        audience === 'everybody' ||
        chosen.length + audienceUsers.length > 0 ||
        t('audience.chooseOne'),
    },
  });
  const { field: users } = useController({
    control,
    name: 'audienceUsers',
    rules: { deps: ['audienceRoles'] },
  });
  return (
    <>
      <RadioField
        {...register('audience', { deps: ['audienceRoles'] })}
        label={labels.audience}
        error={undefined}
        options={[
          { value: 'everybody', label: t('audience.everybody'), icon: UsersRound },
          { value: 'some', label: t('audience.some'), icon: Users },
        ]}
      />
      {some && (
        <>
          <CheckboxCardGroup
            legend={labels.audienceRoles}
            error={ruleMessage(labels.audienceRoles, errors.audienceRoles as FieldError | undefined)}
          >
            {OFFICE_ROLES.map((role, index) => (
              <CheckboxCard
                key={role}
                // The first takes the focus when none is chosen.
                {...(index === 0 && { ref: roles.ref })}
                name="audienceRoles"
                value={role}
                label={roleName(role)}
                text={t(`roles.${role}.text`, { ns: 'users' })}
                checked={roles.value.includes(role)}
                onChange={({ target }) =>
                  roles.onChange(
                    OFFICE_ROLES.filter((entry) =>
                      entry === role ? target.checked : roles.value.includes(entry),
                    ),
                  )
                }
              />
            ))}
          </CheckboxCardGroup>
          <TextValuesEditor
            values={users.value.map((value) => ({ label: value, value }))}
            text={typed}
            lookup={userLookup}
            freeText={false}
            label={labels.audienceUsers}
            listLabel={t('audience.chosen')}
            hint={t('audience.usersHint')}
            error={ruleMessage(labels.audienceUsers, errors.audienceUsers as FieldError | undefined)}
            onChange={(values, text) => {
              setTyped(text);
              const names = values.map(({ value }) => value);
              if (names.join() !== users.value.join()) users.onChange(names);
            }}
          />
        </>
      )}
    </>
  );
}
