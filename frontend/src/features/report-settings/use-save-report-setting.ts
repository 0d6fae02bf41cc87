import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useSave } from '@/form/use-save';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { reportSettingVersionQuery, updateReportSettingMutation } from './queries';
import {
  REPORT_SETTING_FIELDS,
  reportSettingInput,
  type ReportSettingValues,
} from './report-setting-values';

/** Saves a report setting and goes back to the list. */
export function useSaveReportSetting(id: string, setError: UseFormSetError<ReportSettingValues>) {
  const { t } = useTranslation('report-settings');
  const navigate = useNavigate();
  const [, execute] = useMutation(updateReportSettingMutation);
  const { attempt, ...saving } = useSave({
    versionQuery: reportSettingVersionQuery,
    fields: REPORT_SETTING_FIELDS,
    setError,
  });

  function save(version: number, values: ReportSettingValues) {
    const reportSetting = reportSettingInput(values);
    return attempt({
      key: { id },
      version,
      send: () => execute({ input: { id, version, reportSetting } }),
      onSaved: async () => {
        toast.success(t('edit.done', { name: reportSetting.name }));
        await navigate(routes.reportSettings());
      },
    });
  }

  return { ...saving, save };
}
