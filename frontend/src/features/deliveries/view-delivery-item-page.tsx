import {
  ArrowLeft,
  ChevronLeft,
  ChevronRight,
  type LucideIcon,
  Pencil,
  TriangleAlert,
} from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useTimeZone } from '@/data/use-time-zone';
import { PhotoStrip } from '@/domain/proof/proof-files';
import type { NameIn } from '@/i18n/texts';
import { formatQuantity } from '@/lib/numbers';
import { RecordLink } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import { DeliveryHeader, DeliverySkeleton, DeliveryState } from './delivery-frame';
import { type Delivery, type DeliveryItem, findItem, useDelivery } from './delivery-queries';
import { differs, formatDifference } from './lines';
import { type Reasons, useReasons } from './use-reasons';
import { ItemVariances } from './variances';
import { NoItem, useBack } from './action-guard';

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

interface ItemFactsProps {
  delivery: Pick<Delivery, 'deliverystatus'>;
  item: DeliveryItem;
  reasons: Reasons;
}

/** Expected and, after an outcome, counted quantities of a line. */
function ItemFacts({ delivery, item, reasons }: ItemFactsProps) {
  const { t } = useTranslation(['deliveries', 'common']);
  const id = useId();
  const none = t('none', { ns: 'common' });
  const isCounted = delivery.deliverystatus !== 'Pending';
  const label = (field: NameIn<'deliveries:fields'>) => t(`fields.${field}`);
  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('item.title', { item: item.itemNumber })} />
      <div className="px-4 pt-1 pb-4">
        <Facts columns={4}>
          <Fact label={label('itemNumber')} value={item.itemNumber} />
          <Fact label={label('sku')} value={item.sku} empty={none} />
          <Fact wide label={label('description')} value={item.description} empty={none} />
          <Fact label={label('quantity')} value={formatQuantity(item.quantity)} />
          <Fact label={label('unit')} value={item.unit} empty={none} />
          <Fact
            label={label('weightKg')}
            value={item.weightKg === null ? null : formatQuantity(item.weightKg)}
            empty={none}
          />
          <Fact label={label('barcode')} value={item.barcode} empty={none} />
          {isCounted && (
            <>
              <Fact label={label('quantityDelivered')} value={formatQuantity(item.quantityDelivered)} />
              <Fact label={label('quantityRejected')} value={formatQuantity(item.quantityRejected)} />
              <Fact label={t('items.missing')} value={formatQuantity(item.quantityMissing)} />
              <Fact label={t('items.extra')} value={formatQuantity(item.quantityExtra)} />
              <Fact
                label={t('items.variance')}
                value={
                  differs(item) ? (
                    <span className="inline-flex items-center gap-1.5 font-medium text-warn">
                      <TriangleAlert aria-hidden className="size-3.5" />
                      {formatDifference(item)}
                    </span>
                  ) : (
                    '0'
                  )
                }
              />
              <Fact label={label('condition')} value={t(`condition.${item.condition}`)} />
              <Fact
                label={label('varianceReason')}
                value={reasons.label('variance', item.varianceReason)}
                empty={none}
              />
              <Fact label={label('varianceNote')} value={item.varianceNote} empty={none} />
            </>
          )}
        </Facts>
        {!isCounted && <p className="mt-4 text-sm text-muted">{t('item.notCounted')}</p>}
      </div>
    </Panel>
  );
}

interface ItemFilesProps {
  delivery: Pick<Delivery, 'attachments'>;
  item: DeliveryItem;
}

/** Attachments of this item. */
function ItemFiles({ delivery, item }: ItemFilesProps) {
  const { t } = useTranslation('deliveries');
  const id = useId();
  const own = delivery.attachments.filter(({ itemNumber }) => itemNumber === item.itemNumber);
  if (own.length === 0) return null;
  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('proof.title')} note={t('proof.files', { count: own.length })} />
      <div className="max-w-[480px] px-4 pt-1 pb-4">
        <PhotoStrip attachments={own} />
      </div>
    </Panel>
  );
}

interface ItemToolsProps {
  delivery: Delivery;
  item: DeliveryItem;
}

/** Links to neighboring items, to the delivery and to editing. */
function ItemTools({ delivery, item }: ItemToolsProps) {
  const { t } = useTranslation('deliveries');
  const back = useBack(delivery.id);
  const { items } = delivery;
  const index = items.findIndex(({ itemNumber }) => itemNumber === item.itemNumber);

  function step(icon: LucideIcon, label: string, to: DeliveryItem | undefined) {
    const Icon = icon;
    const look = 'hit-target flex size-8 items-center justify-center rounded-control';
    if (!to) {
      return (
        <span aria-hidden className={`${look} text-line2`}>
          <Icon className="size-4" />
        </span>
      );
    }
    return (
      <RecordLink
        replace
        aria-label={label}
        data-tip={label}
        className={`${look} text-muted hover:bg-raised hover:text-fg`}
        to={routes.viewDeliveryItem({ deliveryId: delivery.id, itemNumber: to.itemNumber })}
      >
        <Icon aria-hidden className="size-4" />
      </RecordLink>
    );
  }

  return (
    <>
      <nav aria-label={t('item.pages')} className="flex items-center gap-1">
        {step(ChevronLeft, t('item.previous'), items[index - 1])}
        <span className="px-1 text-sm text-muted tabular-nums">
          {t('view.position', { position: index + 1, total: items.length })}
        </span>
        {step(ChevronRight, t('item.next'), items[index + 1])}
      </nav>
      <Button asChild icon={ArrowLeft}>
        <Link {...back.link}>{t('item.back')}</Link>
      </Button>
      {delivery.allowedActions.includes('edit_items') && (
        <Button asChild variant="primary" icon={Pencil}>
          <RecordLink
            to={routes.editDeliveryItem({
              deliveryId: delivery.id,
              itemNumber: item.itemNumber,
            })}
          >
            {t('item.edit')}
          </RecordLink>
        </Button>
      )}
    </>
  );
}
