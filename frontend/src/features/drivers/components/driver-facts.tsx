import { useTranslation } from 'react-i18next';
import { formatDay } from '@/lib/dates';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import { Panel } from '@/ui/panel';
import type { Driver } from '../queries';

export function DriverFacts({ driver }: { driver: Driver }) {
  const { t } = useTranslation(['drivers', 'common']);
  const none = t('none', { ns: 'common' });
  const byAt = (by: string, at: string) => (
    <>
      <DateTime instant={at} className="whitespace-nowrap" />
      <span className="block text-xs text-muted">{t('view.by', { by })}</span>
    </>
  );
  return (
    <Panel aria-label={t('view.facts')} className="p-4">
      <Facts columns={3}>
        <Fact label={t('fields.driverId')} value={driver.driverId} />
        <Fact label={t('fields.username')} value={driver.username} />
        <Fact label={t('fields.trucker')} value={driver.trucker} empty={none} />
        <Fact label={t('fields.phone')} value={driver.phone} empty={none} />
        <Fact label={t('fields.email')} value={driver.email} empty={none} />
        <Fact label={t('fields.vehiclePlate')} value={driver.vehiclePlate} empty={none} />
        <Fact label={t('fields.licenceNumber')} value={driver.licenceNumber} empty={none} />
        <Fact
          label={t('fields.licenceExpiry')}
          value={driver.licenceExpiry && formatDay(driver.licenceExpiry)}
          empty={none}
        />
        <Fact label={t('fields.language')} value={driver.language} empty={none} />
        <Fact
          label={t('fields.trackingConsentAt')}
          value={driver.trackingConsentAt && <DateTime instant={driver.trackingConsentAt} className="whitespace-nowrap" />}
          empty={t('view.noConsent')}
        />
        <Fact label={t('fields.createdAt')} value={byAt(driver.createdBy, driver.createdAt)} />
        <Fact label={t('fields.updatedAt')} value={byAt(driver.updatedBy, driver.updatedAt)} />
      </Facts>
    </Panel>
  );
}
