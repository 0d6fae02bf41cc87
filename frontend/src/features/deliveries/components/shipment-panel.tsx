import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatCount } from '@/lib/numbers';
import { Panel, PanelHead } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { StatusChip } from '@/ui/status-chip';
import { deliveriesWhere } from '../list-links';
import type { Delivery } from '../delivery-queries';

type Shipment = NonNullable<Delivery['shipment']>;

export function ShipmentPanel({ shipment }: { shipment: Shipment }) {
  const { t } = useTranslation('deliveries');
  const id = useId();
  const { shipmentnumber, shipmentstatus, deliveryCount, openCount, completedCount } = shipment;
  const counts = { total: deliveryCount, open: openCount, completed: completedCount };

  return (
    <Panel aria-labelledby={id}>
      <PanelHead
        id={id}
        title={t('shipment.title')}
        note={shipmentnumber}
        tools={<StatusChip kind="shipment" status={shipmentstatus} />}
      />
      <div className="px-4 pt-1 pb-4">
        <ProgressBar
          label={t('shipment.progress')}
          value={deliveryCount > 0 ? completedCount / deliveryCount : 0}
          tone="ok"
        />
        <dl className="mt-3 grid grid-cols-3 gap-4">
          {Object.entries(counts).map(([name, count]) => (
            <div key={name}>
              <dt className="text-xs text-muted">{t(`shipment.${name}`)}</dt>
              <dd className="text-lg font-semibold tabular-nums">{formatCount(count)}</dd>
            </div>
          ))}
        </dl>
        <Link
          to={deliveriesWhere('shipmentnumber', { label: shipmentnumber, value: shipmentnumber })}
          className="mt-3 inline-block text-sm font-medium text-accent hover:underline"
        >
          {t('shipment.show')}
        </Link>
      </div>
    </Panel>
  );
}
