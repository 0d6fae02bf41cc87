import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useTimeZone } from '@/data/use-time-zone';
import { limits } from '@/form/limits';
import { TextareaField } from '@/form/fields';
import { fromWallTime, nextWorkingDay } from '@/lib/dates';
import type { BulkAllProps } from '@/list/resource';
import { rescheduleAllMutation } from '../bulk-change-queries';
import { bulkContext } from '../bulk-queries';
import { useChangeAll } from '../use-change-all';
import { AllDialog } from './all-dialog';
import { NewDispatchField } from './new-dispatch-field';

/** Sends everything that matches and was not delivered out again, each in its next attempt. */
export default function RescheduleAllDialog({ where, onDone, onClose }: BulkAllProps) {
  const { t } = useTranslation('deliveries-list');
  const timeZone = useTimeZone();
  const [, execute] = useMutation(rescheduleAllMutation);
  const form = useForm({ defaultValues: { dispatch: nextWorkingDay(timeZone), note: '' } });
  const content = () => {
    const { dispatch, note } = form.getValues();
    return { scheduledatetime: fromWallTime(dispatch, timeZone) ?? '', note: note.trim() || null };
  };
  const all = useChangeAll(where, content, async (change) => {
    const { data, error } = await execute({ change, ...content() }, change.dryRun ? {} : bulkContext);
    return { change: data?.rescheduleAll, error };
  });
  return (
    <AllDialog
      {...{ all, form, onDone, onClose }}
      title={t('reschedule.titleOfAll')}
      description={t('reschedule.text')}
    >
      <NewDispatchField control={form.control} />
      <TextareaField
        {...form.register('note', { maxLength: limits.note })}
        label={t('reschedule.note')}
        hint={t('reschedule.noteHint')}
        error={form.formState.errors.note}
        optional
      />
    </AllDialog>
  );
}
