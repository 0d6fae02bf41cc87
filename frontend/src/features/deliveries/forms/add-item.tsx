import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import type { AppError } from '@/data/errors';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { ChangedNote } from '../components/changed-note';
import { DeliveryHeader } from '../components/delivery-header';
import { DeliverySkeleton } from '../components/delivery-skeleton';
import { DeliveryState } from '../components/delivery-state';
import { WhileAllowed } from '../components/while-allowed';
import { createItemMutation, type Delivery } from '../delivery-queries';
import { useChange } from '../use-change';
import { useDelivery } from '../use-delivery';
import { useReasons } from '../use-reasons';
import { itemErrors } from './item-errors';
import { itemInput, type ItemValues, nextItem } from './item-values';
import { NewItemForm } from './new-item-form';

/** One more item of a delivery that is kept already. */
export function AddItem({ deliveryId }: { deliveryId: string }) {
  const result = useDelivery(deliveryId);
  return (
    <DeliveryState id={deliveryId} result={result} loading={<DeliverySkeleton />}>
      {(delivery) => (
        <>
          <DeliveryHeader delivery={delivery} />
          <WhileAllowed delivery={delivery} action="edit_items">
            <AddItemForm delivery={delivery} onReload={result.retry} />
          </WhileAllowed>
        </>
      )}
    </DeliveryState>
  );
}

function AddItemForm({ delivery, onReload }: { delivery: Delivery; onReload: () => void }) {
  const { t } = useTranslation('delivery-form');
  const navigate = useNavigate();
  const reasons = useReasons();
  const change = useChange(delivery, 'edit_items', onReload);
  const [, execute] = useMutation(createItemMutation);
  const { base } = change;
  const numbers = delivery.items.map(({ itemNumber }) => itemNumber);
  const back = routes.editDelivery({ deliveryId: base.id });

  async function add(values: ItemValues): Promise<AppError | undefined> {
    change.begin();
    const item = itemInput(values);
    const { error } = await execute({
      input: { deliveryId: base.id, version: base.version, item },
    });
    if (!error) {
      change.settle();
      toast.success(t('items.added', { item: item.itemNumber }));
      await navigate(back);
      return undefined;
    }
    const failed = change.refuse(error);
    return failed && itemErrors(failed);
  }

  return (
    <NewItemForm
      initial={nextItem(numbers)}
      taken={numbers}
      submit={t('items.add')}
      back={back}
      failure={change.failure}
      disabled={change.isGone}
      note={
        <ChangedNote
          change={change}
          latest={delivery}
          reasons={reasons}
          onKeep={change.rebase}
          onReload={onReload}
        />
      }
      onSubmit={add}
    />
  );
}
