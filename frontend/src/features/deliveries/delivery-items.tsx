import { ListFilter, TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatQuantity } from '@/lib/numbers';
import { RecordLink } from '@/list/record-link';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Panel, PanelHead } from '@/ui/panel';
import { Table, type TableColumn } from '@/ui/table';
import type { Delivery, DeliveryItem } from './delivery-queries';
import { differs, formatDifference, sumOf } from './lines';
import type { Reasons } from './use-reasons';

interface DeliveryItemsProps {
  delivery: Pick<Delivery, 'id' | 'items' | 'deliverystatus' | 'variances' | 'attempt'>;
  reasons: Reasons;
}

export function DeliveryItems({ delivery, reasons }: DeliveryItemsProps) {
  const { t } = useTranslation(['deliveries', 'common']);
  const id = useId();
  const [onlyVariances, setOnlyVariances] = useState(false);
  const { items } = delivery;
  // Without an outcome nothing is counted, so there are no differences.
  const isCounted = delivery.deliverystatus !== 'Pending';
  const varies = (item: DeliveryItem) => isCounted && differs(item);
  const varying = items.filter(varies);
  // Do not highlight lines if nothing was handed over: every line differs, and the status shows that already.
  const isTinted = delivery.deliverystatus === 'Complete_With_Variance';
  // A line without a reason of its own has the reason of its variance in the current attempt.
  const reasonOf = (item: DeliveryItem) =>
    reasons.label('variance', item.varianceReason) ??
    delivery.variances.find(
      ({ attempt, itemNumber }) => attempt === delivery.attempt && itemNumber === item.itemNumber,
    )?.reason;
  const shown = onlyVariances && varying.length > 0 ? varying : items;
  const none = <span className="text-muted">{t('none', { ns: 'common' })}</span>;
  const note = [
    t('lines', { count: items.length }),
    t('items.expectedSum', { sum: formatQuantity(sumOf(items, 'quantity')) }),
    isCounted && t('items.deliveredSum', { sum: formatQuantity(sumOf(items, 'quantityDelivered')) }),
    varying.length > 0 && t('items.withVariance', { count: varying.length }),
  ];
  const columns: (TableColumn<DeliveryItem> | false)[] = [
    {
      id: 'number',
      header: t('items.number'),
      render: ({ itemNumber }) => (
        <RecordLink
          to={routes.viewDeliveryItem({ deliveryId: delivery.id, itemNumber })}
          className="inline-flex min-h-6 min-w-6 items-center font-medium text-accent hover:underline"
        >
          {itemNumber}
        </RecordLink>
      ),
      names: true,
      className: 'ps-4',
      headClassName: 'w-16',
      cellClassName: 'tabular-nums',
    },
    {
      id: 'description',
      header: t('items.description'),
      render: ({ description, sku, barcode }) => (
        <>
          {description ? <span className="me-1.5">{description}</span> : !sku && none}
          {/* Keeps the SKU from wrapping at its hyphens. */}
          {sku && <span className={cn('inline-block', description && 'text-muted')}>{sku}</span>}
          {barcode && <span className="block text-xs text-muted tabular-nums">{barcode}</span>}
        </>
      ),
      cellClassName: 'wrap-anywhere',
    },
    {
      id: 'unit',
      header: t('items.unit'),
      render: ({ unit }) => unit ?? none,
      headClassName: 'w-14',
      cellClassName: 'text-muted',
    },
    {
      id: 'expected',
      header: t('items.expected'),
      render: ({ quantity }) => formatQuantity(quantity),
      end: true,
      headClassName: 'w-20',
      ...(!isCounted && { className: 'pe-4' }),
    },
    isCounted && {
      id: 'delivered',
      header: t('items.delivered'),
      render: ({ quantityDelivered }) => formatQuantity(quantityDelivered),
      end: true,
      headClassName: 'w-20',
    },
    isCounted && {
      id: 'variance',
      header: t('items.variance'),
      render: (item) =>
        varies(item) ? (
          <span className="inline-flex items-center gap-1.5 font-medium text-warn">
            <TriangleAlert aria-hidden className="size-3.5" />
            {formatDifference(item)}
          </span>
        ) : (
          <span className="text-muted">0</span>
        ),
      end: true,
      headClassName: 'w-20',
    },
    isCounted && {
      id: 'reason',
      header: t('items.reason'),
      render: (item) => (
        <>
          {reasonOf(item) ?? none}
          {item.condition !== 'ok' && (
            <span className="block text-xs text-warn">{t(`condition.${item.condition}`)}</span>
          )}
        </>
      ),
      className: 'pe-4',
      headClassName: 'w-40',
      cellClassName: 'wrap-anywhere',
    },
  ];

  return (
    <Panel className="overflow-hidden">
      <PanelHead
        id={id}
        line
        title={t('items.title')}
        note={note.filter(Boolean).join(' · ')}
        tools={
          varying.length > 0 && (
            <Button
              variant="quiet"
              icon={ListFilter}
              aria-pressed={onlyVariances}
              onClick={() => setOnlyVariances(!onlyVariances)}
            >
              {t('items.variancesOnly')}
            </Button>
          )
        }
      />
      {items.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-muted">{t('items.none')}</p>
      ) : (
        <div
          role="region"
          aria-labelledby={id}
          tabIndex={0}
          className="overflow-x-auto focus-visible:-outline-offset-2"
        >
          <Table
            look="items"
            className={isCounted ? 'min-w-[680px]' : 'min-w-[440px]'}
            columns={columns.filter((column) => column !== false)}
            rows={shown}
            rowKey={({ itemNumber }) => itemNumber}
            rowClassName={(item) => isTinted && varies(item) && 'bg-warn-soft/60'}
          />
        </div>
      )}
    </Panel>
  );
}
