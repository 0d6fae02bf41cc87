import { ListFilter, TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { formatQuantity } from '@/lib/numbers';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Panel, PanelHead } from '@/ui/panel';
import type { Delivery, DeliveryItem } from './delivery-queries';
import { differs, formatDifference, sumOf } from './lines';
import type { Reasons } from './use-reasons';

interface DeliveryItemsProps {
  delivery: Pick<Delivery, 'id' | 'items' | 'deliverystatus' | 'variances' | 'attempt'>;
  reasons: Reasons;
}

const head = 'h-9 px-3 text-xs font-medium whitespace-nowrap text-muted';
const cell = 'px-3 py-2';

export function DeliveryItems({ delivery, reasons }: DeliveryItemsProps) {
  const { t } = useTranslation(['deliveries', 'common']);
  const id = useId();
  // The list the delivery was opened from is still known on the way back.
  const { state } = useLocation() as { state: unknown };
  const [onlyVariances, setOnlyVariances] = useState(false);
  const { items } = delivery;
  // Before an outcome nothing is counted, and nothing differs.
  const isCounted = delivery.deliverystatus !== 'Pending';
  const varies = (item: DeliveryItem) => isCounted && differs(item);
  const varying = items.filter(varies);
  // Where nothing was handed over every line differs, and the status has said so already.
  const isTinted = delivery.deliverystatus === 'Complete_With_Variance';
  // A line without a reason of its own has that of the outcome.
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
          <table
            className={cn('w-full text-start text-sm', isCounted ? 'min-w-[680px]' : 'min-w-[440px]')}
          >
            <thead className="bg-raised">
              <tr>
                <th scope="col" className={`${head} w-16 ps-4`}>
                  {t('items.number')}
                </th>
                <th scope="col" className={head}>
                  {t('items.description')}
                </th>
                <th scope="col" className={`${head} w-14`}>
                  {t('items.unit')}
                </th>
                <th scope="col" className={`${head} w-20 text-end ${isCounted ? '' : 'pe-4'}`}>
                  {t('items.expected')}
                </th>
                {isCounted && (
                  <>
                    <th scope="col" className={`${head} w-20 text-end`}>
                      {t('items.delivered')}
                    </th>
                    <th scope="col" className={`${head} w-20 text-end`}>
                      {t('items.variance')}
                    </th>
                    <th scope="col" className={`${head} w-40 pe-4`}>
                      {t('items.reason')}
                    </th>
                  </>
                )}
              </tr>
            </thead>
            <tbody>
              {shown.map((item) => (
                <tr
                  key={item.itemNumber}
                  className={cn('border-t border-line', isTinted && varies(item) && 'bg-warn-soft/60')}
                >
                  <th scope="row" className={`${cell} ps-4 font-normal tabular-nums`}>
                    <Link
                      to={routes.viewDeliveryItem({
                        deliveryId: delivery.id,
                        itemNumber: item.itemNumber,
                      })}
                      state={state}
                      className="inline-flex min-h-6 min-w-6 items-center font-medium text-accent hover:underline"
                    >
                      {item.itemNumber}
                    </Link>
                  </th>
                  <td className={`${cell} wrap-anywhere`}>
                    {item.description ?? (item.sku ? '' : none)}
                    {item.sku && (
                      <span className={item.description ? 'ms-1.5 text-muted' : ''}>{item.sku}</span>
                    )}
                    {item.barcode && (
                      <span className="block text-xs text-muted tabular-nums">{item.barcode}</span>
                    )}
                  </td>
                  <td className={`${cell} text-muted`}>{item.unit ?? none}</td>
                  <td className={`${cell} text-end tabular-nums ${isCounted ? '' : 'pe-4'}`}>
                    {formatQuantity(item.quantity)}
                  </td>
                  {isCounted && (
                    <>
                      <td className={`${cell} text-end tabular-nums`}>
                        {formatQuantity(item.quantityDelivered)}
                      </td>
                      <td className={`${cell} text-end tabular-nums`}>
                        {varies(item) ? (
                          <span className="inline-flex items-center gap-1.5 font-medium text-warn">
                            <TriangleAlert aria-hidden className="size-3.5" />
                            {formatDifference(item)}
                          </span>
                        ) : (
                          <span className="text-muted">0</span>
                        )}
                      </td>
                      <td className={`${cell} pe-4 wrap-anywhere`}>
                        {reasonOf(item) ?? none}
                        {item.condition !== 'ok' && (
                          <span className="block text-xs text-warn">
                            {t(`condition.${item.condition}`)}
                          </span>
                        )}
                      </td>
                    </>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
