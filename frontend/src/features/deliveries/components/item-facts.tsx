import { TriangleAlert } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatQuantity } from '@/lib/numbers';
import { Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import type { Delivery, DeliveryItem } from '../delivery-queries';
import { differs, formatDifference } from '../lines';
import type { Reasons } from '../use-reasons';

interface ItemFactsProps {
  delivery: Pick<Delivery, 'deliverystatus'>;
  item: DeliveryItem;
  reasons: Reasons;
}

/** What a line expected, and what was counted once there is an outcome. */
export function ItemFacts({ delivery, item, reasons }: ItemFactsProps) {
  const { t } = useTranslation(['deliveries', 'common']);
  const id = useId();
  const none = t('none', { ns: 'common' });
  const isCounted = delivery.deliverystatus !== 'Pending';
  const label = (name: string) => t(`fields.${name}`);
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
