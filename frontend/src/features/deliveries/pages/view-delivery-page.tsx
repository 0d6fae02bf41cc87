import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { attemptAsked, attemptOf } from '../attempts';
import { AttemptTabs } from '../components/attempt-tabs';
import { ConflictBar } from '../components/conflict-bar';
import { DeliveryActions } from '../components/delivery-actions';
import { DeliveryFacts } from '../components/delivery-facts';
import { DeliveryHeader } from '../components/delivery-header';
import { DeliveryHistory } from '../components/delivery-history';
import { DeliveryItems } from '../components/delivery-items';
import { DeliverySkeleton } from '../components/delivery-skeleton';
import { DeliveryState } from '../components/delivery-state';
import { DeliveryVariances } from '../components/delivery-variances';
import { FormVersions } from '../components/form-versions';
import { HistoryLink } from '../components/history-link';
import { IncompleteNote } from '../components/incomplete-note';
import { ListPosition } from '../components/list-position';
import { PlacePanel } from '../components/place-panel';
import { ProofPanel } from '../components/proof-panel';
import { ShipmentPanel } from '../components/shipment-panel';
import { useDelivery } from '../use-delivery';
import { useReasons } from '../use-reasons';

export default function ViewDeliveryPage() {
  const { deliveryId, attempt: asked } = useRouteParams('viewDelivery');
  const { t } = useTranslation('deliveries');
  const timeZone = useTimeZone();
  const result = useDelivery(deliveryId);
  const reasons = useReasons();

  return (
    <PageFrame>
      <DeliveryState id={deliveryId} result={result} loading={<DeliverySkeleton />}>
        {(delivery) => {
          const attempt = attemptOf(delivery, attemptAsked(delivery, asked));
          return (
            <>
              <DeliveryHeader delivery={delivery}>
                <ListPosition id={delivery.id} />
                <HistoryLink id={delivery.id} />
                {/* Another delivery has dialogs of its own. */}
                <DeliveryActions key={delivery.id} delivery={delivery} onReload={result.retry} />
              </DeliveryHeader>
              <ConflictBar delivery={delivery} />
              <IncompleteNote delivery={delivery} text={t('incomplete.view')} className="mb-4" />
              <AttemptTabs delivery={delivery} current={attempt.number} />
              <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_340px] xl:grid-cols-[minmax(0,1fr)_372px]">
                <div className="flex min-w-0 flex-col gap-4">
                  <DeliveryFacts delivery={delivery} timeZone={timeZone} />
                  {attempt.isCurrent && <DeliveryItems delivery={delivery} reasons={reasons} />}
                  <DeliveryVariances attempt={attempt} items={delivery.items} />
                </div>
                <div className="flex min-w-0 flex-col gap-4">
                  {(attempt.status !== 'Pending' || attempt.attachments.length > 0) && (
                    <ProofPanel
                      attempt={attempt}
                      scanned={delivery.scanmode === 'Yes'}
                      required={delivery.podRequirement}
                      reasons={reasons}
                      timeZone={timeZone}
                    />
                  )}
                  <PlacePanel attempt={attempt} planned={delivery.addressPoint} />
                  {delivery.shipment && <ShipmentPanel shipment={delivery.shipment} />}
                  <DeliveryHistory attempt={attempt} reasons={reasons} timeZone={timeZone} />
                  <FormVersions delivery={delivery} timeZone={timeZone} />
                </div>
              </div>
            </>
          );
        }}
      </DeliveryState>
    </PageFrame>
  );
}
