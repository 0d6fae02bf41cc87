import { type FieldError, useController, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ruleMessage } from '@/form/rule-message';
import { PageForm } from '@/form/page-form';
import { TextField } from '@/form/text-field';
import { routes } from '@/routing/routes';
import { userRules } from '../rules';
import { type NewUserValues, useNewUser } from '../use-new-user';
import { RoleCards } from './role-cards';

const empty: NewUserValues = { username: '', displayName: '', email: '', roles: [] };
const verbatim = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

export function NewUserForm() {
  const { t } = useTranslation('users');
  const form = useForm({ defaultValues: empty });
  // In the order on screen: of several that are wrong, the form focuses the one it met first.
  const username = form.register('username', userRules.username);
  const displayName = form.register('displayName', userRules.displayName);
  const email = form.register('email', userRules.email);
  const { errors } = form.formState;
  const { failure, submit } = useNewUser(form.setError);
  const { field: roles } = useController({
    control: form.control,
    name: 'roles',
    rules: { validate: (chosen) => chosen.length > 0 || t('roles.choose') },
  });
  const labels = {
    username: t('fields.username'),
    displayName: t('fields.displayName'),
    email: t('fields.email'),
    roles: t('fields.roles'),
  };

  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      create={{ label: t('new.create'), busyLabel: t('new.creating') }}
      onSubmit={submit}
      cancelTo={routes.adminUsers()}
      className="max-w-[560px]"
    >
      <TextField
        {...username}
        {...verbatim}
        label={labels.username}
        hint={t('new.usernameHint')}
        error={errors.username}
      />
      <TextField
        {...displayName}
        autoComplete="off"
        label={labels.displayName}
        hint={t('new.displayNameHint')}
        error={errors.displayName}
        optional
      />
      <TextField
        {...email}
        {...verbatim}
        type="email"
        label={labels.email}
        hint={t('new.emailHint')}
        error={errors.email}
      />
      <div
        ref={(box) => {
          // What the form focuses when no role was chosen.
          roles.ref(box && { focus: () => box.querySelector('input')?.focus() });
        }}
      >
        <RoleCards
          roles={roles.value}
          onChange={roles.onChange}
          error={ruleMessage(labels.roles, errors.roles as FieldError | undefined)}
        />
      </div>
    </PageForm>
  );
}
