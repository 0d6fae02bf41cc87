import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { Form, FormSummary, SubmitButton } from '@/form/form';
import { ConflictNote, UnsavedGuard } from '@/form/page-form';
import { DefinedFields, useEditForm } from '@/form/record-form';
import { ruleMessages } from '@/form/rule-message';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import { toast } from '@/ui/toast';
import { updateUserMutation, type User, userVersionQuery } from './queries';
import { profileForm } from './user-form';

interface ProfileFormProps {
  user: User;
  /** Reloads the account. */
  onReload: () => void;
}

export function ProfileForm({ user, onReload }: ProfileFormProps) {
  const { t } = useTranslation(['users', 'common', 'form']);
  const titleId = useId();
  const [, execute] = useMutation(updateUserMutation);
  const { id } = user;
  const { form, labels, failure, conflict, submit, startOver } = useEditForm({
    definition: profileForm,
    record: user,
    versionQuery: userVersionQuery,
    recordKey: { id },
    save: (input, { version }) => execute({ input: { ...input, id, version } }),
    onSaved: ({ updateUser: { version } }, input) => {
      toast.success(t('profile.done'));
      return { ...user, ...input, version };
    },
  });
  const { errors, isDirty, isSubmitting } = form.formState;

  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead id={titleId} title={t('profile.title')} />
      <Form
        form={form}
        onSubmit={submit}
        className="flex max-w-[592px] flex-col gap-4 px-4 pt-1 pb-4"
      >
        <UnsavedGuard when={isDirty} isSaving={isSubmitting} />
        {conflict && (
          <ConflictNote
            conflict={conflict}
            onReload={() => {
              startOver();
              onReload();
            }}
          />
        )}
        <FormSummary
          failure={failure}
          messages={ruleMessages(labels, errors)}
          setFocus={form.setFocus}
        />
        <DefinedFields definition={profileForm} form={form} />
        <div className="flex gap-2">
          <SubmitButton
            busy={isSubmitting}
            disabled={!isDirty}
            size={36}
            label={t('save', { ns: 'common' })}
            busyLabel={t('saving', { ns: 'form' })}
          />
          <Button size={36} disabled={!isDirty || isSubmitting} onClick={startOver}>
            {t('cancel', { ns: 'common' })}
          </Button>
        </div>
      </Form>
    </Panel>
  );
}
