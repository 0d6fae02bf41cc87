import { useRef, useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { showFieldErrors } from '@/form/server-errors';
import { useEventId } from '@/form/use-event-id';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { createReportSettingMutation } from './queries';
import {
  REPORT_SETTING_FIELDS,
  reportSettingInput,
  type ReportSettingValues,
} from './report-setting-values';

/** Makes the report setting and goes back to the list. */
export function useNewReportSetting(setError: UseFormSetError<ReportSettingValues>) {
  const { t } = useTranslation('report-settings');
  const navigate = useNavigate();
  const [, execute] = useMutation(createReportSettingMutation);
  const creationId = useEventId();
  const [failure, setFailure] = useState<AppError>();
  // A second press may come before the page is gone.
  const isMade = useRef(false);

  async function save(values: ReportSettingValues) {
    if (isMade.current) return;
    setFailure(undefined);
    const reportSetting = reportSettingInput(values);
    const { data, error } = await execute({
      input: { reportSetting, creationId: creationId(reportSetting) },
    });
    if (data) {
      isMade.current = true;
      toast.success(t('new.done', { name: data.createReportSetting.name }));
      await navigate(routes.reportSettings());
      return;
    }
    const failed = normalizeError(error);
    setFailure(failed);
    showFieldErrors(failed, REPORT_SETTING_FIELDS, setError);
  }

  return { failure, save };
}
