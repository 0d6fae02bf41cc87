import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { graphql } from '@/data/graphql';
import { formatCount } from '@/lib/numbers';
import { newUuid } from '@/lib/uuid';
import { toast } from '@/ui/toast';
import { undoBulkChangeMutation, watchBulkChange } from './change-all';

/** Milliseconds that a note about deliveries that weren't restored is shown. */
const NOTE_MS = 10_000;
const ID = 'undo-bulk-change';

/**
 * Undoes a bulk change and reports the result in a toast. Deliveries that were changed since, or whose previous driver
 * is blocked, are skipped. Returns whether the undo has started, before it ends.
 */
export function useUndo(): (changeId: string) => Promise<boolean> {
  const { t } = useTranslation('deliveries-list');
  const client = useClient();

  async function follow(id: string) {
    const ended = await watchBulkChange(client, id, () => undefined);
    if (ended?.state !== 'done') {
      toast.error(ended?.failureText ?? t('all.lost'), { id: ID });
      return;
    }
    const { total, changed, leftOut } = ended;
    const blocked = leftOut.find(({ reason }) => reason === 'driver_blocked')?.count ?? 0;
    const kept = total - changed - blocked;
    const said = [
      t('undo.done', { count: changed, shown: formatCount(changed) }),
      kept > 0 && t('undo.kept', { count: kept, shown: formatCount(kept) }),
      blocked > 0 && t('undo.blocked', { count: blocked, shown: formatCount(blocked) }),
    ];
    const text = said.filter(Boolean).join(' ');
    if (changed < total) toast(text, { id: ID, duration: NOTE_MS });
    else toast.success(text, { id: ID });
  }

  return async (changeId) => {
    const id = newUuid();
    toast.loading(t('undo.running'), { id: ID });
    const { error } = await client.mutation(undoBulkChangeMutation, { id, changeId }, bulkContext).toPromise();
    if (error) toast.error(errorText(normalizeError(error)), { id: ID });
    else void follow(id);
    return !error;
  };
}

/** Offers to undo a bulk change for ten seconds. */
export function useOfferUndo(): (changeId: string, changed: number) => void {
  const { t } = useTranslation('deliveries-list');
  const undo = useUndo();
  return (changeId, changed) => {
    toast.withAction(t('undo.offer', { count: changed, shown: formatCount(changed) }), {
      id: ID,
      label: t('undo.action'),
      run: () => void undo(changeId),
    });
  };
}

export const rescheduleDeliveriesMutation = graphql(`
  mutation RescheduleDeliveries($input: RescheduleDeliveriesInput!) {
    rescheduleDeliveries(input: $input) {
      deliveryId
      ok
      text
    }
  }
`);

export const changeDispatchTimesMutation = graphql(`
  mutation ChangeDispatchTimes($input: ChangeDispatchTimesInput!) {
    changeDispatchTimes(input: $input) {
      deliveryId
      ok
      code
      text
    }
  }
`);

export const assignDriverMutation = graphql(`
  mutation AssignDriver($input: AssignDriverInput!) {
    assignDriver(input: $input) {
      deliveryId
      ok
      text
    }
  }
`);

/** Names the changed types, since the response does not contain them. */
export const bulkContext = { additionalTypenames: ['Delivery', 'Shipment'] };
