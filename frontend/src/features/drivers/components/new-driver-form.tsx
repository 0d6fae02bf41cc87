import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { PageForm } from '@/form/page-form';
import { routes } from '@/routing/routes';
import { NEW_DRIVER } from '../driver-values';
import { useDriverLabels } from '../use-driver-labels';
import { useNewDriver } from '../use-new-driver';
import { DriverFields } from './driver-fields';

export function NewDriverForm() {
  const { t } = useTranslation('drivers');
  const form = useForm({ defaultValues: NEW_DRIVER });
  const { failure, save } = useNewDriver(form.setError);
  const labels = useDriverLabels();
  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      create={{ label: t('new.create'), busyLabel: t('new.creating') }}
      onSubmit={save}
      cancelTo={routes.drivers()}
      className="max-w-[720px]"
    >
      <DriverFields form={form} isNew />
    </PageForm>
  );
}
