import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/dates';
import { Panel, PanelHead } from '@/ui/panel';
import type { Delivery, DeliveryItem } from '../delivery-queries';
import { formatSigned } from '../lines';

interface ItemVariancesProps {
  delivery: Pick<Delivery, 'variances'>;
  item: DeliveryItem;
  timeZone: string;
}

/** What was not as expected of this item, at any attempt. */
export function ItemVariances({ delivery, item, timeZone }: ItemVariancesProps) {
  const { t } = useTranslation('deliveries');
  const id = useId();
  const own = delivery.variances.filter(({ itemNumber }) => itemNumber === item.itemNumber);
  if (own.length === 0) return null;
  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} line title={t('variances.title')} />
      <ul className="divide-y divide-line text-sm">
        {own.map((variance) => (
          <li key={variance.id} className="flex flex-wrap gap-x-4 gap-y-0.5 px-4 py-2">
            <span className="w-20 shrink-0 text-muted">
              {t('history.attempt', { attempt: variance.attempt })}
            </span>
            <span className="w-20 shrink-0 font-medium text-warn tabular-nums">
              {formatSigned(variance.difference)}
            </span>
            <span className="font-medium">
              {variance.reason ?? t(`variances.kind.${variance.kind}`)}
            </span>
            <span className="min-w-0 flex-1 wrap-anywhere">{variance.note}</span>
            <span className="text-muted tabular-nums">
              {formatDateTime(variance.occurredAt, timeZone)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
