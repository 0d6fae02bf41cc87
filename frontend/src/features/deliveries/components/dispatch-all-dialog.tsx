import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useTimeZone } from '@/data/use-time-zone';
import { fromWallTime, nextWorkingDay } from '@/lib/dates';
import type { BulkAllProps } from '@/list/resource';
import { changeAllDispatchTimesMutation } from '../bulk-change-queries';
import { bulkContext } from '../bulk-queries';
import { useChangeAll } from '../use-change-all';
import { useOfferUndo } from '../use-offer-undo';
import { AllDialog } from './all-dialog';
import { NewDispatchField } from './new-dispatch-field';

/** Puts everything off that matches and did not leave yet. */
export default function DispatchAllDialog({ where, onDone, onClose }: BulkAllProps) {
  const { t } = useTranslation('deliveries-list');
  const timeZone = useTimeZone();
  const [, execute] = useMutation(changeAllDispatchTimesMutation);
  const form = useForm({ defaultValues: { dispatch: nextWorkingDay(timeZone) } });
  const offerUndo = useOfferUndo();
  const content = () => fromWallTime(form.getValues().dispatch, timeZone) ?? '';
  const all = useChangeAll(where, content, async (change) => {
    const variables = { change, scheduledatetime: content() };
    const { data, error } = await execute(variables, change.dryRun ? {} : bulkContext);
    return { change: data?.changeAllDispatchTimes, error };
  });
  return (
    <AllDialog
      {...{ all, form, onDone, onClose }}
      title={t('dispatch.titleOfAll')}
      description={t('dispatch.text')}
      onEnd={({ id, changed }) => changed > 0 && offerUndo(id, changed)}
    >
      <NewDispatchField control={form.control} />
    </AllDialog>
  );
}
