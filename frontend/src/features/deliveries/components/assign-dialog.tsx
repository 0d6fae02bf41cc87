import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { normalizeError } from '@/data/errors';
import { Form, FormSummary } from '@/form/form';
import { formatCount } from '@/lib/numbers';
import { newUuid } from '@/lib/uuid';
import { BulkDialog } from '@/list/bulk-dialog';
import type { BulkDialogProps } from '@/list/resource';
import { useBulkRun } from '@/list/use-bulk-run';
import { Button } from '@/ui/button';
import { assignDriverMutation, bulkContext } from '../bulk-queries';
import { useOfferUndo } from '../use-offer-undo';
import { AssignFields, type AssignValues, chosenDriver } from './assign-fields';

/** Gives deliveries to a driver, or takes them from whoever has them. */
export default function AssignDialog({ ids, onSelect, onClose }: BulkDialogProps) {
  const { t } = useTranslation('deliveries-list');
  const [, execute] = useMutation(assignDriverMutation);
  const form = useForm<AssignValues>({ defaultValues: { who: 'driver', driverId: '' } });
  const offerUndo = useOfferUndo();
  const [undoId] = useState(newUuid);
  const who = useWatch({ control: form.control, name: 'who' });
  const [count] = useState(ids.length);

  const bulk = useBulkRun(async (deliveryIds) => {
    const driverId = chosenDriver(form.getValues());
    const { data, error } = await execute({ input: { deliveryIds, driverId, undoId } }, bulkContext);
    return data ? { results: data.assignDriver } : { failed: normalizeError(error) };
  });

  const shown = formatCount(count);
  return (
    <BulkDialog
      {...{ bulk, onSelect, onClose }}
      onEnd={(done) => offerUndo(undoId, done)}
      title={t('assign.title', { count, shown })}
      description={t('assign.text')}
    >
      <Form form={form} onSubmit={() => bulk.run(ids)}>
        <FormSummary failure={bulk.failure} />
        <AssignFields form={form} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" size={36}>
            {t(who === 'driver' ? 'assign.submit' : 'assign.clear', { count, shown })}
          </Button>
          <Button size={36} onClick={onClose}>
            {t('common:cancel')}
          </Button>
        </div>
      </Form>
    </BulkDialog>
  );
}
