import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import type { BulkAllProps } from '@/list/resource';
import { assignAllMutation } from '../bulk-change-queries';
import { bulkContext } from '../bulk-queries';
import { useChangeAll } from '../use-change-all';
import { useOfferUndo } from '../use-offer-undo';
import { AllDialog } from './all-dialog';
import { AssignFields, type AssignValues, chosenDriver } from './assign-fields';

/** Gives everything that matches to a driver, or takes it from whoever has it. */
export default function AssignAllDialog({ where, onDone, onClose }: BulkAllProps) {
  const { t } = useTranslation('deliveries-list');
  const [, execute] = useMutation(assignAllMutation);
  const form = useForm<AssignValues>({ defaultValues: { who: 'driver', driverId: '' } });
  const offerUndo = useOfferUndo();
  const content = () => chosenDriver(form.getValues());
  const all = useChangeAll(where, content, async (change) => {
    const { data, error } = await execute({ change, driverId: content() }, change.dryRun ? {} : bulkContext);
    return { change: data?.assignAll, error };
  });
  return (
    <AllDialog
      {...{ all, form, onDone, onClose }}
      title={t('assign.titleOfAll')}
      description={t('assign.text')}
      onEnd={({ id, changed }) => changed > 0 && offerUndo(id, changed)}
    >
      <AssignFields form={form} />
    </AllDialog>
  );
}
