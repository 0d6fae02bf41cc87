import { Users, UsersRound } from 'lucide-react';
import { useState } from 'react';
import { type FieldError, type UseFormReturn, useController, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { OFFICE_ROLES } from '@/auth/roles';
import { useRoleName } from '@/auth/use-role-name';
import { RadioField } from '@/form/radio-field';
import { ruleMessage } from '@/form/rule-message';
import { TextValuesEditor } from '@/list/text-values-editor';
import { userLookup } from '@/lookups/lookups';
import { CheckboxCard, CheckboxCardGroup } from '@/ui/checkbox-card';
import type { AnnouncementValues } from '../announcement-values';

interface AudienceFieldProps {
  form: UseFormReturn<AnnouncementValues>;
  labels: Record<'audience' | 'audienceRoles' | 'audienceUsers', string>;
}

/** Everybody, or those who hold one of the roles and those who are named. */
export function AudienceField({ form, labels }: AudienceFieldProps) {
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
