import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { Form, FormSummary } from '@/form/form';
import { fromWallTime, nextWorkingDay } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import { newUuid } from '@/lib/uuid';
import { BulkDialog } from '@/list/bulk-dialog';
import type { BulkDialogProps } from '@/list/resource';
import { useBulkRun } from '@/list/use-bulk-run';
import { Button } from '@/ui/button';
import { bulkContext, changeDispatchTimesMutation } from '../bulk-queries';
import type { DeliveryRow } from '../columns';
import { useOfferUndo } from '../use-offer-undo';
import { NewDispatchField } from './new-dispatch-field';

type Props = BulkDialogProps<Pick<DeliveryRow, 'id' | 'version'>>;

/** Puts deliveries off that did not leave yet, each as it was when it was selected. */
export default function ChangeDispatchDialog({ ids, rows, onSelect, onClose }: Props) {
  const { t } = useTranslation('deliveries-list');
  const timeZone = useTimeZone();
  const [, execute] = useMutation(changeDispatchTimesMutation);
  const form = useForm({ defaultValues: { dispatch: nextWorkingDay(timeZone) } });
  const offerUndo = useOfferUndo();
  const [undoId] = useState(newUuid);
  // Opened by a button that names how many; the list may change behind it.
  const [seen] = useState(() => new Map(rows.map(({ id, version }) => [id, version])));

  const bulk = useBulkRun(async (deliveryIds) => {
    const scheduledatetime = fromWallTime(form.getValues().dispatch, timeZone) ?? '';
    const changes = deliveryIds.map((deliveryId) => ({
      deliveryId,
      version: seen.get(deliveryId) ?? null,
      scheduledatetime,
    }));
    const { data, error } = await execute({ input: { changes, undoId } }, bulkContext);
    return data ? { results: data.changeDispatchTimes } : { failed: normalizeError(error) };
  });

  const count = seen.size;
  const shown = formatCount(count);
  return (
    <BulkDialog
      {...{ bulk, onSelect, onClose }}
      onEnd={(done) => offerUndo(undoId, done)}
      title={t('dispatch.title', { count, shown })}
      description={t('dispatch.text')}
    >
      <Form form={form} onSubmit={() => bulk.run(ids)}>
        <FormSummary failure={bulk.failure} />
        <NewDispatchField control={form.control} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" size={36}>
            {t('dispatch.submit', { count, shown })}
          </Button>
          <Button size={36} onClick={onClose}>
            {t('common:cancel')}
          </Button>
        </div>
      </Form>
    </BulkDialog>
  );
}
