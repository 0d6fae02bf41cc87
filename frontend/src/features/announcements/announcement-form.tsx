import { Users, UsersRound } from 'lucide-react';
import { type FieldValues, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { OFFICE_ROLES } from '@/auth/roles';
import { useRoleName } from '@/auth/use-auth';
import { type AnnouncementSeverity, SEVERITIES, severityLooks } from '@/domain/announcements';
import { enabledUserLookup } from '@/domain/lookups/lookups';
import { UsersField } from '@/domain/lookups/users-field';
import {
  type BoundField,
  defineForm,
  emptyValues,
  type FormField,
  type FormValues,
  type PartsField,
} from '@/form/define-form';
import { TextareaField } from '@/form/fields';
import { choice, dateTime, lines, optionalDateTime, text, toggle } from '@/form/kinds';
import { lengthOf } from '@/form/limits';
import { ruleMessage } from '@/form/rule-message';
import { CheckboxCard, CheckboxCardGroup } from '@/ui/checkbox';
import type { Announcement } from './queries';

const TITLE_LENGTH = 120;
const MESSAGE_LENGTH = 500;

/** Collapses line breaks, since the banner shows a single line. */
export function oneParagraph(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
}

type Audience = 'everybody' | 'some';

/**
 * The chosen roles and users. They are kept while the announcement is for everybody, so that switching back loses
 * nothing.
 */
interface Chosen {
  audience: Audience;
  audienceRoles: string[];
  audienceUsers: string[];
}

/** The choice has no field on the server: an announcement for everybody has no chosen roles or users. */
const audience: PartsField<Audience, Pick<Announcement, 'audienceRoles' | 'audienceUsers'>, object> = {
  ...choice<Audience>({
    values: ['everybody', 'some'],
    initially: 'everybody',
    names: 'announcements:audience',
    icon: (value) => (value === 'some' ? Users : UsersRound),
    deps: ['audienceRoles'],
  }),
  parts: [],
  fill: ({ audienceRoles, audienceUsers }) => (audienceRoles.length + audienceUsers.length > 0 ? 'some' : 'everybody'),
  send: () => ({}),
};

const chosen: Omit<FormField<string[], string[], string[]>, 'draw'> = {
  empty: [],
  fill: (stored) => stored,
  send: (value, { values }) => ((values as Partial<Chosen>).audience === 'some' ? value : []),
};

const audienceRoles: FormField<string[], string[], string[]> = {
  ...chosen,
  rules: (t) => ({
    validate: {
      validate: (roles, values) => {
        const { audience: of, audienceUsers: users = [] } = values as Partial<Chosen>;
        return of === 'everybody' || roles.length + users.length > 0 || t('announcements:audience.chooseOne');
      },
    },
  }),
  draw: (bound, { form }) => <RolesField {...bound} form={form} />,
};

const audienceUsers: FormField<string[], string[], string[]> = {
  ...chosen,
  rules: () => ({ deps: ['audienceRoles'] }),
  draw: (bound, { form }) => <AudienceUsersField {...bound} form={form} />,
};

/** Declares the fields of an announcement. */
export const announcementForm = defineForm({
  labels: 'announcements:fields',
  className: 'max-w-[640px]',
  fields: {
    title: text({ maxLength: TITLE_LENGTH }),
    message: {
      ...lines({ validate: { maxLength: (message) => lengthOf(oneParagraph(message)) <= MESSAGE_LENGTH } }),
      send: oneParagraph,
      draw: (bound, { t }) => (
        <TextareaField
          {...bound}
          hint={t('announcements:messageHint', { length: lengthOf(oneParagraph(bound.value)), most: MESSAGE_LENGTH })}
        />
      ),
    } satisfies FormField<string, string, string>,
    severity: choice<AnnouncementSeverity>({
      values: SEVERITIES,
      initially: 'info',
      names: 'common:severity',
      icon: (severity) => severityLooks[severity].icon,
    }),
    audience,
    audienceRoles,
    audienceUsers,
    startsAt: dateTime({ hint: (t, timeZone) => t('announcements:timesIn', { timeZone }), deps: ['endsAt'] }),
    endsAt: optionalDateTime({
      hint: 'announcements:endsHint',
      checks: (t) => ({
        // Compare the two as text: both are local times in the same format.
        after: (until, { startsAt }) => until === '' || until > String(startsAt) || t('announcements:endsAfter'),
      }),
    }),
    isActive: toggle({ hint: 'announcements:activeHint', initially: true }),
    dismissible: toggle({ hint: 'announcements:dismissibleHint', initially: true }),
  },
});

type Fields = (typeof announcementForm)['fields'];
type AnnouncementValues = FormValues<Fields>;

/** Returns the values of a new announcement: for everyone, starting now. */
export function newAnnouncement(timeZone: string, now: Date = new Date()): AnnouncementValues {
  return emptyValues(announcementForm, timeZone, now) as AnnouncementValues;
}

interface ChosenFieldProps extends BoundField<string[]> {
  form: UseFormReturn<FieldValues>;
}

const useHasAudience = ({ control }: UseFormReturn<FieldValues>) =>
  (useWatch({ control, name: 'audience' }) as Audience) === 'some';

function RolesField({ form, name, value, onChange, ref, label, error }: ChosenFieldProps) {
  const { t } = useTranslation('users');
  const roleName = useRoleName();
  if (!useHasAudience(form)) return null;
  return (
    <CheckboxCardGroup legend={label} error={ruleMessage(label, error)}>
      {OFFICE_ROLES.map((role, index) => (
        <CheckboxCard
          key={role}
          // The first card gets the focus if no role is selected.
          {...(index === 0 && { ref })}
          name={name}
          value={role}
          label={roleName(role)}
          text={t(`roles.${role}.text`)}
          checked={value.includes(role)}
          onChange={({ target }) =>
            onChange(OFFICE_ROLES.filter((entry) => (entry === role ? target.checked : value.includes(entry))))
          }
        />
      ))}
    </CheckboxCardGroup>
  );
}

function AudienceUsersField({ form, ...bound }: ChosenFieldProps) {
  const { t } = useTranslation('announcements');
  if (!useHasAudience(form)) return null;
  return (
    <UsersField
      {...bound}
      lookup={enabledUserLookup}
      listLabel={t('audience.chosen')}
      hint={t('audience.usersHint')}
    />
  );
}
