import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatPoint } from '@/proof/place';
import { routes } from '@/routing/routes';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import { Panel } from '@/ui/panel';
import type { DriverLog } from '../queries';

const link = 'text-accent hover:underline';

export function LogFacts({ log }: { log: DriverLog }) {
  const { t } = useTranslation(['driver-logs', 'common']);
  const none = t('none', { ns: 'common' });
  const { driverId, driverName, deliveryId, lat, lng } = log;
  return (
    <Panel aria-label={t('view.facts')} className="p-4">
      <Facts columns={3}>
        <Fact
          label={t('fields.driverId')}
          value={
            <>
              <Link to={routes.viewDriver({ driverId })} className={link}>
                {driverName || driverId}
              </Link>
              <span className="block text-xs text-muted tabular-nums">{driverId}</span>
            </>
          }
        />
        <Fact
          label={t('fields.deliveryId')}
          value={
            deliveryId && (
              <Link to={routes.viewDelivery({ deliveryId })} className={link}>
                {deliveryId}
              </Link>
            )
          }
          empty={none}
        />
        <Fact
          label={t('fields.point')}
          value={
            lat === null || lng === null ? null : (
              <span className="tabular-nums">{formatPoint({ lat, lng, accuracy: null })}</span>
            )
          }
          empty={none}
        />
        <Fact label={t('fields.occurredAt')} value={<DateTime instant={log.occurredAt} />} />
        <Fact label={t('fields.receivedAt')} value={<DateTime instant={log.receivedAt} />} />
        <Fact label={t('fields.ip')} value={log.ip} empty={none} />
        <Fact label={t('fields.deviceId')} value={log.deviceId} empty={none} />
        <Fact label={t('fields.appVersion')} value={log.appVersion} empty={none} />
      </Facts>
    </Panel>
  );
}
