import { useId, useState } from 'react';
import { type FieldValues, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import type { VariablesOf } from '@/data/graphql';
import { useTimeZone } from '@/data/use-time-zone';
import { emptyValues, inputOf, placeErrors, valuesOf } from '@/form/define-form';
import { Form, FormSummary } from '@/form/form';
import { DefinedFields, labelsOf } from '@/form/record-form';
import { ruleMessages } from '@/form/rule-message';
import { showFieldErrors } from '@/form/use-save';
import { useText } from '@/i18n/texts';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
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
  const { t } = useTranslation(['report-settings', 'common']);
  const text = useText();
  const timeZone = useTimeZone();
  const formId = useId();
  // Save based on the version that filled the form, not on a version loaded since.
  const [schedule] = useState(current);
  const form = useForm<FieldValues>({
    defaultValues: schedule
      ? valuesOf(reportScheduleForm, schedule, timeZone)
      : { ...emptyValues(reportScheduleForm, timeZone), ...(FORMATS.some((own) => own === format) && { format }) },
  });
  const [failure, setFailure] = useState<AppError>();
  const [, save] = useMutation(saveReportScheduleMutation);
  const { errors, isSubmitting } = form.formState;

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
    <Dialog open onOpenChange={() => !isSubmitting && onClose()}>
      <DialogContent
        title={t(schedule ? 'schedule.edit' : 'schedule.create')}
        width={560}
        staysOpen
        footer={
          <>
            <Button onClick={onClose}>{t('common:cancel')}</Button>
            <Button type="submit" form={formId} variant="primary" aria-disabled={isSubmitting}>
              {t(isSubmitting ? 'schedule.saving' : 'schedule.save')}
            </Button>
          </>
        }
      >
        <Form form={form} id={formId} onSubmit={submit} label={t('schedule.title')}>
          <FormSummary
            failure={failure}
            messages={ruleMessages(labelsOf(reportScheduleForm, text, !schedule), errors)}
            setFocus={form.setFocus}
          />
          <DefinedFields definition={reportScheduleForm} form={form} isNew={!schedule} />
        </Form>
      </DialogContent>
    </Dialog>
  );
}
