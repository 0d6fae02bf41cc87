import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { PageForm } from '@/form/page-form';
import { routes } from '@/routing/routes';
import { NEW_REPORT_SETTING } from '../report-setting-values';
import { useNewReportSetting } from '../use-new-report-setting';
import { ReportSettingFields, useReportSettingLabels } from './report-setting-fields';

export function NewReportSettingForm() {
  const { t } = useTranslation('report-settings');
  const form = useForm({ defaultValues: NEW_REPORT_SETTING });
  const { failure, save } = useNewReportSetting(form.setError);
  const labels = useReportSettingLabels();
  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      create={{ label: t('new.create'), busyLabel: t('new.creating') }}
      onSubmit={save}
      cancelTo={routes.reportSettings()}
      className="max-w-[720px]"
    >
      <ReportSettingFields form={form} />
    </PageForm>
  );
}
