import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { COMPLETE } from '@/domain/analytics/measures';
import type { NameIn } from '@/i18n/texts';
import { formatDate, formatDateTime, formatTime, formatTimeBeside } from '@/lib/dates';
import { encodeFilters } from '@/list/filters-codec';
import { routes } from '@/routing/routes';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts, Panel } from '@/ui/panel';
import { PhoneText } from '@/ui/phone-text';
import { StatusChip } from '@/ui/status-chip';
import { Tag } from '@/ui/tag';
import type { Delivery } from './delivery-queries';

interface DeliveryFactsProps {
  delivery: Delivery;
  timeZone: string;
}

const link = 'text-accent hover:underline';

export function DeliveryFacts({ delivery, timeZone }: DeliveryFactsProps) {
  const { t } = useTranslation(['deliveries', 'common']);
  const { scheduledatetime, timeWindowStart, timeWindowEnd } = delivery;
  const none = t('common:none');
  const label = (field: NameIn<'deliveries:fields'>) => t(`fields.${field}`);
  const time = (instant: string | null) =>
    instant && (
      <DateTime instant={instant} />
    );
  const byAt = (by: string, at: string) =>
    t('view.byAt', { at: formatDateTime(at, timeZone), by });
  const { deliverystatus, deliverydatetime } = delivery;
  // An attempt that failed has a time as well, but was not on time for anybody.
  const onTime =
    COMPLETE.some((status) => status === deliverystatus) && deliverydatetime !== null && timeWindowEnd !== null
      ? Date.parse(deliverydatetime) <= Date.parse(timeWindowEnd)
      : undefined;
  const ends = [timeWindowStart, timeWindowEnd].map((end) => end && formatTimeBeside(end, scheduledatetime, timeZone));

  return (
    <Panel aria-label={t('view.facts')} className="p-4">
      <Facts columns={4}>
        <Fact label={label('id')} value={delivery.id} />
        <Fact label={label('referencedoc')} value={delivery.referencedoc} empty={none} />
        <Fact
          label={label('shipmentnumber')}
          value={
            <Link className={link} to={deliveriesOfShipment(delivery.shipmentnumber)}>
              {delivery.shipmentnumber}
            </Link>
          }
        />
        <Fact label={label('scanmode')} value={t(delivery.scanmode === 'Yes' ? 'yes' : 'no')} />

        <Fact label={label('scheduledatetime')} value={time(scheduledatetime)} />
        <Fact label={label('dispatchDate')} value={formatDate(scheduledatetime, timeZone)} />
        <Fact label={label('dispatchTime')} value={formatTime(scheduledatetime, timeZone)} />
        <Fact
          label={label('deliverydatetime')}
          value={time(delivery.deliverydatetime)}
          empty={t('view.notProcessed')}
        />

        <Fact
          label={label('driverId')}
          value={delivery.driverId && <AssignedDriver delivery={delivery} />}
          empty={t('common:unassigned')}
        />
        <Fact label={label('trucker')} value={delivery.trucker} />
        <Fact
          label={label('timeWindow')}
          value={
            ends.some(Boolean) ? (
              <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
                {ends.map((end) => end ?? '…').join(' – ')}
                {onTime !== undefined && (
                  <Tag tone={onTime ? 'ok' : 'warn'}>{t(onTime ? 'view.onTime' : 'view.tooLate')}</Tag>
                )}
              </span>
            ) : null
          }
          empty={none}
        />
        <Fact
          label={label('attempt')}
          value={t('view.attempt', { attempt: delivery.attempt, max: delivery.maxAttempts })}
        />

        <Fact label={label('customername')} value={delivery.customername} />
        <Fact
          label={label('priority')}
          value={
            delivery.priority === 'high' ? (
              <Tag tone="warn">{t('priority.high')}</Tag>
            ) : (
              t(`priority.${delivery.priority}`)
            )
          }
        />
        <Fact label={label('sourceId')} value={delivery.source?.name} empty={none} />
        <Fact
          label={label('uploadLogId')}
          value={
            delivery.uploadLogId && (
              <Link
                className={link}
                to={routes.uploadedDetails({ uploadLog: delivery.uploadLogId })}
              >
                {t('view.showImport')}
              </Link>
            )
          }
          empty={none}
        />

        <Fact wide label={label('customeraddress')} value={delivery.customeraddress} empty={none} />
        <Fact wide label={label('contact')} value={contactOf(delivery)} empty={none} />
        <Fact wide label={label('instructions')} value={delivery.instructions} empty={none} />
        <Fact wide label={label('internalNote')} value={delivery.internalNote} empty={none} />
        <Fact wide label={label('createdAt')} value={byAt(delivery.createdBy, delivery.createdAt)} />
        <Fact wide label={label('updatedAt')} value={byAt(delivery.updatedBy, delivery.updatedAt)} />
      </Facts>
    </Panel>
  );
}

/** Name, phone number and email address of the contact, as far as they are known. */
function contactOf({ contactName, contactPhone, contactEmail }: Delivery) {
  const phone = contactPhone && <PhoneText underlined text={contactPhone} />;
  const parts = [contactName, phone, contactEmail].filter(Boolean);
  if (parts.length === 0) return null;
  return parts.map((part, index) => (
    <Fragment key={index}>
      {index > 0 && ' · '}
      {part}
    </Fragment>
  ));
}

/** The assigned driver as a link. A blocked driver is marked. */
function AssignedDriver({ delivery }: { delivery: Pick<Delivery, 'driverId' | 'driver'> }) {
  const { t } = useTranslation('deliveries');
  const { driverId, driver } = delivery;
  // Imports accept driver IDs that do not exist.
  if (!driver)
    return (
      <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
        {driverId}
        {driverId && <Tag tone="warn">{t('driverNotKnown')}</Tag>}
      </span>
    );
  return (
    <>
      <Link
        to={routes.viewDriver({ driverId: driver.driverId })}
        className="text-accent hover:underline"
      >
        {driver.driverId}
      </Link>
      <span dir="auto" className="block text-xs text-muted">{driver.name}</span>
      {driver.status === 'blocked' && (
        <StatusChip kind="driver" status={driver.status} className="mt-1" />
      )}
    </>
  );
}

/** Returns the address of the list with the deliveries of a shipment. */
export function deliveriesOfShipment(shipmentnumber: string): string {
  const value = { label: shipmentnumber, value: shipmentnumber };
  return routes.deliveries({
    filters: encodeFilters([{ key: 'shipmentnumber', operator: 'equals', values: [value] }]),
  });
}
