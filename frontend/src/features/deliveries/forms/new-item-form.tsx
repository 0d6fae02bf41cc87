import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { AppError } from '@/data/errors';
import { Form, FormSummary, SubmitButton } from '@/form/form';
import { UnsavedGuard } from '@/form/page-form';
import { ruleMessages } from '@/form/rule-message';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { ItemFields } from './item-fields';
import type { ItemValues } from './item-values';
import { useItemLabels } from './use-item-labels';
import { showFieldErrors } from '@/form/use-save';
import { ITEM_FIELDS } from './item-values';

interface NewItemFormProps {
  initial: ItemValues;
  taken: readonly string[];
  submit: string;
  back: string;
  failure?: AppError | undefined;
  note?: ReactNode;
  disabled?: boolean;
  /** Answers what was refused; the page goes on by itself when nothing was. */
  onSubmit: (values: ItemValues) => Promise<AppError | undefined>;
}

/** One item more, of a draft or of a delivery that is kept. */
export function NewItemForm(props: NewItemFormProps) {
  const { initial, taken, submit, back, failure, note, disabled, onSubmit } = props;
  const { t } = useTranslation(['common', 'form']);
  const labels = useItemLabels();
  const form = useForm<ItemValues>({ defaultValues: initial });
  const { errors, isDirty, isSubmitting } = form.formState;

  async function send(values: ItemValues) {
    const failed = await onSubmit(values);
    if (failed) showFieldErrors(failed, ITEM_FIELDS, form.setError);
  }

  return (
    <Form form={form} onSubmit={send} className="flex max-w-[560px] flex-col gap-4">
      <UnsavedGuard when={isDirty && !isSubmitting} />
      {note}
      <FormSummary
        failure={failure}
        messages={ruleMessages(labels, errors)}
        setFocus={form.setFocus}
      />
      <Panel className="flex flex-col gap-4 p-4">
        <ItemFields form={form} taken={taken} />
        <div className="flex gap-2 border-t border-line pt-4">
          <SubmitButton
            size={36}
            busy={isSubmitting}
            disabled={disabled}
            label={submit}
            busyLabel={t('form:saving')}
          />
          <Button asChild size={36}>
            <Link to={back}>{t('cancel')}</Link>
          </Button>
        </div>
      </Panel>
    </Form>
  );
}
