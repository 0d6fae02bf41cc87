import { useState } from 'react';
import { type FieldValues, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import type { VariablesOf } from '@/data/graphql';
import { useTimeZone } from '@/data/use-time-zone';
import { emptyValues, inputOf, placeErrors, valuesOf } from '@/form/define-form';
import { FormDialog } from '@/form/form-dialog';
import { DefinedFields, labelsOf } from '@/form/record-form';
import { showFieldErrors } from '@/form/use-save';
import { useText } from '@/i18n/texts';
import { toast } from '@/ui/toast';
import { type ReportSchedule, type ReportSetting, saveReportScheduleMutation } from './queries';
import { FORMATS, reportScheduleForm } from './report-schedule-form';

type ScheduleInput = VariablesOf<typeof saveReportScheduleMutation>['input']['schedule'];

interface ReportScheduleDialogProps {
  /** The report setting. */
  id: string;
  name: string;
  /** The format of the report setting. */
  format: ReportSetting['format'];
  /** Null to create a schedule. */
  schedule: ReportSchedule | null;
  onClose: () => void;
}

/** Creates or changes the schedule of a report setting. */
export function ReportScheduleDialog({ id, name, format, schedule: current, onClose }: ReportScheduleDialogProps) {
  const { t } = useTranslation('report-settings');
  const text = useText();
  const timeZone = useTimeZone();
  // Save based on the version that filled the form, not on a version loaded since.
  const [schedule] = useState(current);
  const form = useForm<FieldValues>({
    defaultValues: schedule
      ? valuesOf(reportScheduleForm, schedule, timeZone)
      : { ...emptyValues(reportScheduleForm, timeZone), ...(FORMATS.some((own) => own === format) && { format }) },
  });
  const [failure, setFailure] = useState<AppError>();
  const [, save] = useMutation(saveReportScheduleMutation);

  async function submit(values: FieldValues) {
    setFailure(undefined);
    const input = {
      reportSettingId: id,
      version: schedule?.version ?? 0,
      schedule: inputOf(reportScheduleForm, values, timeZone, schedule ?? undefined) as unknown as ScheduleInput,
    };
    const { data, error } = await save({ input });
    if (data) {
      toast.success(t('schedule.saved', { name }));
      onClose();
      return;
    }
    const failed = placeErrors(reportScheduleForm, normalizeError(error));
    setFailure(failed);
    showFieldErrors(failed, Object.keys(reportScheduleForm.fields), form.setError);
  }

  return (
    <FormDialog
      title={t(schedule ? 'schedule.edit' : 'schedule.create')}
      form={form}
      labels={labelsOf(reportScheduleForm, text, !schedule)}
      submit={t('schedule.save')}
      busy={t('schedule.saving')}
      failure={failure}
      onSubmit={submit}
      onClose={onClose}
    >
      <DefinedFields definition={reportScheduleForm} form={form} isNew={!schedule} />
    </FormDialog>
  );
}
