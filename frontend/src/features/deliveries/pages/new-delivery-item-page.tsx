import { useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { AddItem } from '../forms/add-item';
import { DraftItem } from '../forms/draft-item';

/** An item of the draft; with a delivery in the address, one of that delivery. */
export default function NewDeliveryItemPage() {
  const { deliveryId, index } = useRouteParams('newDeliveryItem');
  return (
    <PageFrame>
      {deliveryId === undefined ? (
        <DraftItem key={index} index={index} />
      ) : (
        <AddItem key={deliveryId} deliveryId={deliveryId} />
      )}
    </PageFrame>
  );
}
