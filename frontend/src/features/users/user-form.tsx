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
    validate: { validate: (chosen) => chosen.length > 0 || t('roles.choose') },
  }),
  fill: (stored) => stored,
  send: (chosen) => chosen,
  draw: ({ value, onChange, ref, label, error }) => (
    <div
      ref={(box) => {
        // What the form focuses when no role was chosen.
        ref(box && { focus: () => box.querySelector('input')?.focus() });
      }}
    >
      <RoleCards roles={value} onChange={onChange} error={ruleMessage(label, error)} />
    </div>
  ),
};

/** A new account. Its roles have a page of their own later on. */
export const newUserForm = defineForm({
  texts: 'users',
  className: 'max-w-[560px]',
  fields: {
    username: text({ hint: 'new.usernameHint', verbatim: true, maxLength: limits.username }),
    displayName: { ...displayName, hint: 'new.displayNameHint' },
    email: { ...email, hint: 'new.emailHint' },
    roles,
  },
});

/** What can be said of an account that is there. */
export const profileForm = defineForm({
  texts: 'users',
  className: 'max-w-[592px]',
  fields: { displayName, email },
});
