import { useTimeZone } from '@/data/use-time-zone';
import { useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { DeliveryHeader } from '../components/delivery-header';
import { DeliverySkeleton } from '../components/delivery-skeleton';
import { DeliveryState } from '../components/delivery-state';
import { ItemFacts } from '../components/item-facts';
import { ItemFiles } from '../components/item-files';
import { ItemTools } from '../components/item-tools';
import { ItemVariances } from '../components/item-variances';
import { NoItem } from '../components/no-item';
import { findItem } from '../items';
import { useDelivery } from '../use-delivery';
import { useReasons } from '../use-reasons';

export default function ViewDeliveryItemPage() {
  const { deliveryId, itemNumber } = useRouteParams('viewDeliveryItem');
  const timeZone = useTimeZone();
  const result = useDelivery(deliveryId);
  const reasons = useReasons();
  return (
    <PageFrame>
      <DeliveryState id={deliveryId} result={result} loading={<DeliverySkeleton />}>
        {(delivery) => {
          const item = findItem(delivery.items, itemNumber);
          if (!item) return <NoItem delivery={delivery} itemNumber={itemNumber} />;
          return (
            <>
              <DeliveryHeader delivery={delivery}>
                <ItemTools delivery={delivery} item={item} />
              </DeliveryHeader>
              <div className="flex max-w-[960px] flex-col gap-4">
                <ItemFacts delivery={delivery} item={item} reasons={reasons} />
                <ItemVariances delivery={delivery} item={item} timeZone={timeZone} />
                <ItemFiles delivery={delivery} item={item} />
              </div>
            </>
          );
        }}
      </DeliveryState>
    </PageFrame>
  );
}
