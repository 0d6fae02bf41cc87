import { useForm } from 'react-hook-form';
import { PageForm } from '@/form/page-form';
import { useBase } from '@/form/use-base';
import { routes } from '@/routing/routes';
import type { ReportSetting } from '../queries';
import { reportSettingValues } from '../report-setting-values';
import { useSaveReportSetting } from '../use-save-report-setting';
import { ReportSettingFields, useReportSettingLabels } from './report-setting-fields';

interface EditReportSettingFormProps {
  setting: ReportSetting;
  /** Reads the report setting anew. */
  onReload: () => void;
}

export function EditReportSettingForm({ setting, onReload }: EditReportSettingFormProps) {
  const form = useForm({ defaultValues: reportSettingValues(setting) });
  const { failure, conflict, save, forget } = useSaveReportSetting(setting.id, form.setError);
  const labels = useReportSettingLabels();
  const base = useBase(setting, form, reportSettingValues);

  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      conflict={conflict}
      onReload={() => {
        forget();
        onReload();
      }}
      onSubmit={(values) => save(base.version, values)}
      cancelTo={routes.reportSettings()}
      className="max-w-[720px]"
    >
      <ReportSettingFields form={form} />
    </PageForm>
  );
}
