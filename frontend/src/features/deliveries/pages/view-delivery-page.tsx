import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { QueryState } from '@/data/query-state';
import { useKept } from '@/data/use-kept';
import { useTimeZone } from '@/data/use-time-zone';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { DeliveryFacts } from '../components/delivery-facts';
import { DeliveryHeader } from '../components/delivery-header';
import { DeliveryHistory } from '../components/delivery-history';
import { DeliveryItems } from '../components/delivery-items';
import { DeliverySkeleton } from '../components/delivery-skeleton';
import { ShipmentPanel } from '../components/shipment-panel';
import { deliveryQuery } from '../queries';

const context = { additionalTypenames: ['Delivery', 'Shipment'] };

export default function ViewDeliveryPage() {
  const { t } = useTranslation('deliveries');
  const { deliveryId } = useRouteParams('viewDelivery');
  const timeZone = useTimeZone();
  const [result, execute] = useQuery({
    query: deliveryQuery,
    variables: useMemo(() => ({ id: deliveryId }), [deliveryId]),
    requestPolicy: 'cache-and-network',
    context,
  });
  const isOwn = result.operation?.variables.id === deliveryId;
  const delivery = useKept(isOwn ? result.data?.delivery : undefined, deliveryId);
  const retry = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);

  return (
    <PageFrame>
      <QueryState
        value={delivery}
        error={isOwn && result.error}
        onRetry={retry}
        loading={<DeliverySkeleton />}
        empty={
          <Panel>
            <StateView
              kind="no-match"
              title={t('view.notFound.title')}
              text={t('view.notFound.text', { id: deliveryId })}
              actions={
                <Button asChild variant="primary" size={36}>
                  <Link to={routes.deliveries()}>{t('view.notFound.action')}</Link>
                </Button>
              }
            />
          </Panel>
        }
      >
        {(found) => (
          <>
            <DeliveryHeader delivery={found} />
            <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_340px] xl:grid-cols-[minmax(0,1fr)_372px]">
              <div className="flex min-w-0 flex-col gap-4">
                <DeliveryFacts delivery={found} timeZone={timeZone} />
                <DeliveryItems items={found.items} />
              </div>
              <div className="flex min-w-0 flex-col gap-4">
                {found.shipment && <ShipmentPanel shipment={found.shipment} />}
                <DeliveryHistory history={found.history} timeZone={timeZone} />
              </div>
            </div>
          </>
        )}
      </QueryState>
    </PageFrame>
  );
}
