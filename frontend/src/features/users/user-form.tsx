import type { Role } from '@/auth/roles';
import { defineForm, type FormField } from '@/form/define-form';
import { text } from '@/form/kinds';
import { EMAIL, limits } from '@/form/limits';
import { ruleMessage } from '@/form/rule-message';
import { RoleCards } from './roles';

const displayName = text({ maxLength: limits.person, optional: true });
const email = text({ type: 'email', verbatim: true, maxLength: limits.email, pattern: EMAIL });

const roles: FormField<Role[], Role[], Role[]> = {
  empty: [],
  rules: (t) => ({
    validate: { validate: (chosen) => chosen.length > 0 || t('users:roles.choose') },
  }),
  fill: (stored) => stored,
  send: (chosen) => chosen,
  draw: ({ value, onChange, ref, label, error }) => (
    <div
      ref={(box) => {
        // Focus target for the error "no role selected".
        ref(box && { focus: () => box.querySelector('input')?.focus() });
      }}
    >
      <RoleCards roles={value} onChange={onChange} error={ruleMessage(label, error)} />
    </div>
  ),
};

/** Declares the fields of a new account. Roles of existing accounts have their own page. */
export const newUserForm = defineForm({
  labels: 'users:fields',
  className: 'max-w-[560px]',
  fields: {
    username: text({ hint: 'users:new.usernameHint', verbatim: true, maxLength: limits.username }),
    displayName: { ...displayName, hint: 'users:new.displayNameHint' },
    email: { ...email, hint: 'users:new.emailHint' },
    roles,
  },
});

/** Declares the editable fields of an existing account. */
export const profileForm = defineForm({
  labels: 'users:fields',
  className: 'max-w-[592px]',
  fields: { displayName, email: { ...email, hint: 'users:profile.emailHint' } },
});
