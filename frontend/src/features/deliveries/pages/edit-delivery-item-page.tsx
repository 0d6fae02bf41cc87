import { useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { DeliveryHeader } from '../components/delivery-header';
import { DeliverySkeleton } from '../components/delivery-skeleton';
import { DeliveryState } from '../components/delivery-state';
import { NoItem } from '../components/no-item';
import { WhileAllowed } from '../components/while-allowed';
import { EditItemForm } from '../forms/edit-item-form';
import { findItem } from '../items';
import { useDelivery } from '../use-delivery';

export default function EditDeliveryItemPage() {
  const { deliveryId, itemNumber } = useRouteParams('editDeliveryItem');
  const result = useDelivery(deliveryId);
  return (
    <PageFrame>
      <DeliveryState id={deliveryId} result={result} loading={<DeliverySkeleton />}>
        {(delivery) => {
          const item = findItem(delivery.items, itemNumber);
          if (!item) return <NoItem delivery={delivery} itemNumber={itemNumber} />;
          return (
            <>
              <DeliveryHeader delivery={delivery} />
              <WhileAllowed
                key={`${delivery.id}/${item.itemNumber}`}
                delivery={delivery}
                action="edit_items"
              >
                <EditItemForm delivery={delivery} item={item} onReload={result.retry} />
              </WhileAllowed>
            </>
          );
        }}
      </DeliveryState>
    </PageFrame>
  );
}
