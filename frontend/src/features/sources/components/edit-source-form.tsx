import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { ConflictNote } from '@/form/conflict-note';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { ruleMessages } from '@/form/rule-message';
import { SubmitButton } from '@/form/submit-button';
import { UnsavedGuard } from '@/form/unsaved-guard';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Panel } from '@/ui/panel';
import type { Source } from '../queries';
import { type SourceValues, sourceValues } from '../source-values';
import { useQuestion } from '../use-question';
import { useSaveSource } from '../use-save-source';
import { SourceFields, useSourceLabels } from './source-fields';

interface EditSourceFormProps {
  source: Source;
  /** Reads the source anew. */
  onReload: () => void;
}

export function EditSourceForm({ source, onReload }: EditSourceFormProps) {
  const { t } = useTranslation(['sources', 'common', 'form']);
  const form = useForm({ defaultValues: sourceValues(source) });
  const { reset } = form;
  const { errors, isDirty, isSubmitting } = form.formState;
  const { failure, conflict, save, forget } = useSaveSource(source, form.setError);
  const labels = useSourceLabels();
  const question = useQuestion();
  // What is saved stands on the version the fields were filled from, not on a newer one read since.
  const [base, setBase] = useState(source);

  useEffect(() => {
    if (isDirty || source.version <= base.version) return;
    setBase(source);
    reset(sourceValues(source));
  }, [source, base, isDirty, reset]);

  async function submit(values: SourceValues) {
    if (base.isActive && !values.isActive && !(await question.ask())) return;
    await save(base.version, values);
  }

  return (
    <>
      <Form form={form} onSubmit={submit} className="flex max-w-[560px] flex-col gap-4">
        <UnsavedGuard when={isDirty && !isSubmitting} />
        {conflict && (
          <ConflictNote
            conflict={conflict}
            onReload={() => {
              forget();
              reset();
              onReload();
            }}
          />
        )}
        <FormSummary failure={failure} messages={ruleMessages(labels, errors)} />
        <Panel className="flex flex-col gap-4 p-4">
          <SourceFields form={form} />
          <div className="flex gap-2 border-t border-line pt-4">
            <SubmitButton
              busy={isSubmitting}
              disabled={!isDirty}
              size={36}
              label={t('save', { ns: 'common' })}
              busyLabel={t('saving', { ns: 'form' })}
            />
            <Button asChild size={36}>
              <Link to={routes.viewSource({ sourceId: source.id })}>
                {t('cancel', { ns: 'common' })}
              </Link>
            </Button>
          </div>
        </Panel>
      </Form>
      {question.isOpen && (
        <ConfirmDialog
          danger
          title={t('disable.question', { name: base.name })}
          text={t('disable.text')}
          confirm={t('disable.confirm')}
          busy={t('saving', { ns: 'form' })}
          onConfirm={() => {
            question.give(true);
            return Promise.resolve(undefined);
          }}
          onClose={() => question.give(false)}
        />
      )}
    </>
  );
}
