import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { ruleMessages } from '@/form/rule-message';
import { SubmitButton } from '@/form/submit-button';
import { UnsavedGuard } from '@/form/unsaved-guard';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { NEW_DRIVER } from '../driver-values';
import { useDriverLabels } from '../use-driver-labels';
import { useNewDriver } from '../use-new-driver';
import { DriverFields } from './driver-fields';

export function NewDriverForm() {
  const { t } = useTranslation(['drivers', 'common']);
  const form = useForm({ defaultValues: NEW_DRIVER });
  const { errors, isDirty, isSubmitting } = form.formState;
  const { failure, save } = useNewDriver(form.setError);
  const labels = useDriverLabels();
  return (
    <Form form={form} onSubmit={save} className="flex max-w-[720px] flex-col gap-4">
      <UnsavedGuard when={isDirty && !isSubmitting} />
      <FormSummary failure={failure} messages={ruleMessages(labels, errors)} />
      <Panel className="flex flex-col gap-4 p-4">
        <DriverFields form={form} isNew />
        <div className="flex gap-2 border-t border-line pt-4">
          <SubmitButton
            busy={isSubmitting}
            size={36}
            label={t('new.create')}
            busyLabel={t('new.creating')}
          />
          <Button asChild size={36}>
            <Link to={routes.drivers()}>{t('cancel', { ns: 'common' })}</Link>
          </Button>
        </div>
      </Panel>
    </Form>
  );
}
