import { useEffect, useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { ruleMessages } from '@/form/rule-message';
import { showFieldErrors } from '@/form/server-errors';
import { SubmitButton } from '@/form/submit-button';
import { TextField } from '@/form/text-field';
import { UnsavedGuard } from '@/form/unsaved-guard';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import { toast } from '@/ui/toast';
import { type User, updateUserMutation } from '../queries';
import { userRules } from '../rules';
import { type Conflict, useConflict } from '../use-conflict';
import { ConflictNote } from './conflict-note';

interface ProfileValues {
  displayName: string;
  email: string;
}

interface ProfileFormProps {
  user: User;
  /** Reads the account anew. */
  onReload: () => void;
}

const valuesOf = ({ displayName, email }: User): ProfileValues => ({
  displayName: displayName ?? '',
  email,
});

export function ProfileForm({ user, onReload }: ProfileFormProps) {
  const { t } = useTranslation(['users', 'common', 'form']);
  const titleId = useId();
  const form = useForm({ defaultValues: valuesOf(user) });
  const { register, reset, setError } = form;
  const { errors, isDirty, isSubmitting } = form.formState;
  const [, execute] = useMutation(updateUserMutation);
  const findConflict = useConflict();
  // What is saved stands on the version the fields were filled from, not on a newer one read since.
  const [version, setVersion] = useState(user.version);
  const [failure, setFailure] = useState<AppError>();
  const [conflict, setConflict] = useState<Conflict>();

  useEffect(() => {
    if (isDirty || user.version <= version) return;
    setVersion(user.version);
    reset(valuesOf(user));
  }, [user, version, isDirty, reset]);

  async function submit(values: ProfileValues) {
    setFailure(undefined);
    setConflict(undefined);
    const displayName = values.displayName.trim();
    const { data, error } = await execute({
      input: { id: user.id, version, ...values, displayName: displayName || null },
    });
    if (data) {
      toast.success(t('profile.done'));
      setVersion(data.updateUser.version);
      reset({ ...values, displayName });
      return;
    }
    const failed = normalizeError(error);
    const found = await findConflict(failed, { id: user.id, version });
    setConflict(found);
    if (found) return;
    setFailure(failed);
    showFieldErrors(failed, ['displayName', 'email'], setError);
  }

  function startOver() {
    setFailure(undefined);
    setConflict(undefined);
    reset(valuesOf(user));
  }

  const labels = { displayName: t('fields.displayName'), email: t('fields.email') };
  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead id={titleId} title={t('profile.title')} />
      <Form
        form={form}
        onSubmit={submit}
        className="flex max-w-[592px] flex-col gap-4 px-4 pt-1 pb-4"
      >
        <UnsavedGuard when={isDirty && !isSubmitting} />
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
        <TextField
          {...register('displayName', userRules.displayName)}
          autoComplete="off"
          label={labels.displayName}
          error={errors.displayName}
          optional
        />
        <TextField
          {...register('email', userRules.email)}
          type="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          label={labels.email}
          error={errors.email}
        />
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
