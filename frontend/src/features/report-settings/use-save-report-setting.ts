import { useRef, useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { showFieldErrors } from '@/form/server-errors';
import { type Conflict, useConflict } from '@/form/use-conflict';
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
  const findConflict = useConflict(reportSettingVersionQuery);
  const [failure, setFailure] = useState<AppError>();
  const [conflict, setConflict] = useState<Conflict>();
  // A second press may come before the page is gone.
  const isSaved = useRef(false);

  function forget() {
    setFailure(undefined);
    setConflict(undefined);
  }

  async function save(version: number, values: ReportSettingValues) {
    if (isSaved.current) return;
    forget();
    const reportSetting = reportSettingInput(values);
    const { data, error } = await execute({ input: { id, version, reportSetting } });
    if (data) {
      isSaved.current = true;
      toast.success(t('edit.done', { name: reportSetting.name }));
      await navigate(routes.reportSettings());
      return;
    }
    const failed = normalizeError(error);
    const found = await findConflict(failed, { id }, version);
    setConflict(found);
    if (found) return;
    setFailure(failed);
    showFieldErrors(failed, REPORT_SETTING_FIELDS, setError);
  }

  return { failure, conflict, save, forget };
}
