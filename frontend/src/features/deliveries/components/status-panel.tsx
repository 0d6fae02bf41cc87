import { useId } from 'react';
import type { Control } from 'react-hook-form';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { formatQuantity } from '@/lib/numbers';
import { Panel, PanelHead } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import type { DeliveryItem } from '../delivery-queries';
import { countOf, impliedStatus, sumOf } from '../lines';
import type { LinesForm } from './line-inputs';

interface StatusPanelProps {
  control: Control<LinesForm>;
  items: readonly DeliveryItem[];
}

/** What the lines add up to while they are counted. The server computes it again, and decides. */
export function StatusPanel({ control, items }: StatusPanelProps) {
  const { t } = useTranslation(['outcomes', 'deliveries']);
  const id = useId();
  const lines = useWatch({ control, name: 'lines' });
  const counted = items.flatMap((item, index) => {
    const line = lines[index];
    const count = line && countOf(line, item.quantity);
    return count ? [{ ...count, itemNumber: item.itemNumber }] : [];
  });
  const known = new Set(counted.map(({ itemNumber }) => itemNumber));
  const left = items.filter(({ itemNumber }) => !known.has(itemNumber));
  const status = impliedStatus(counted) ?? 'Complete_No_Variance';
  const expected = sumOf(counted, 'quantity');
  const delivered = sumOf(counted, 'quantityDelivered');
  const rejected = sumOf(counted, 'quantityRejected');
  const missing = counted.map(({ quantity, quantityDelivered, quantityRejected }) => ({
    amount: Math.max(0, quantity - quantityDelivered - quantityRejected),
  }));
  const sums = { expected, delivered, rejected, missing: sumOf(missing, 'amount') };

  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('status.title')} />
      <div className="flex flex-col gap-3 px-4 pt-1 pb-4">
        <div role="status" aria-label={t('status.label')}>
          <StatusChip kind="delivery" status={status} size={24} />
        </div>
        <dl className="flex flex-col gap-1.5 text-sm">
          {Object.entries(sums).map(([name, sum]) => (
            <div key={name} className="flex justify-between gap-4">
              <dt className="text-muted">{t(`deliveries:items.${name}`)}</dt>
              <dd className="tabular-nums">{formatQuantity(sum)}</dd>
            </div>
          ))}
        </dl>
        <p className="border-t border-line pt-3 text-xs text-muted">
          {left.length > 0
            ? t('status.left', {
                count: left.length,
                items: left.map(({ itemNumber }) => itemNumber).join(', '),
              })
            : t('status.text')}
        </p>
      </div>
    </Panel>
  );
}
