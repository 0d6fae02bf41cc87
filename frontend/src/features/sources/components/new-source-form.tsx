import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { PageForm } from '@/form/page-form';
import { routes } from '@/routing/routes';
import { NEW_SOURCE } from '../source-values';
import { useNewSource } from '../use-new-source';
import { SourceFields, useSourceLabels } from './source-fields';

export function NewSourceForm() {
  const { t } = useTranslation('sources');
  const form = useForm({ defaultValues: NEW_SOURCE });
  const { failure, save } = useNewSource(form.setError);
  const labels = useSourceLabels();
  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      create={{ label: t('new.create'), busyLabel: t('new.creating') }}
      onSubmit={save}
      cancelTo={routes.sources()}
      className="max-w-[560px]"
    >
      <SourceFields form={form} />
    </PageForm>
  );
}
