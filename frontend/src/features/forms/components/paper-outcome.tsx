import { Clock, MapPin } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/dates';
import { formatDistance, formatPoint, isFar } from '@/proof/place';
import type { FormContent } from '../queries';
import { PaperFact } from './paper-fact';
import { PaperMark } from './paper-mark';

interface PaperOutcomeProps {
  delivery: FormContent['delivery'];
  withPlaces: boolean;
  timeZone: string;
}

/** When it happened and where, beside when and where it should have. */
export function PaperOutcome({ delivery, withPlaces, timeZone }: PaperOutcomeProps) {
  const { t } = useTranslation(['forms', 'deliveries']);
  const time = (instant: string | null) => instant && formatDateTime(instant, timeZone);
  const { addressPoint, outcomePoint, outcomeDistanceM: distance } = delivery;
  const occurredAt = delivery.outcomeOccurredAt ?? delivery.deliverydatetime;
  return (
    <section aria-label={t('outcome')} className="break-inside-avoid border-b border-line2 py-4">
      <dl className="grid grid-cols-4 gap-x-5 gap-y-4 @max-lg:grid-cols-2">
        <PaperFact
          label={t('times.scheduled')}
          value={formatDateTime(delivery.scheduledatetime, timeZone)}
        />
        <PaperFact
          label={t('times.occurred')}
          value={
            occurredAt && (
              <>
                {time(occurredAt)}
                {delivery.late && (
                  <span className="mt-1 block">
                    <PaperMark icon={Clock}>{t('marks.late')}</PaperMark>
                  </span>
                )}
              </>
            )
          }
        />
        <PaperFact label={t('times.received')} value={time(delivery.outcomeReceivedAt)} />
        {withPlaces && (
          <>
            <PaperFact
              label={t('places.distance')}
              value={
                distance !== null && (
                  <>
                    {formatDistance(distance)}
                    {isFar(distance) && (
                      <span className="mt-1 block">
                        <PaperMark icon={MapPin}>{t('marks.far')}</PaperMark>
                      </span>
                    )}
                  </>
                )
              }
            />
            <PaperFact
              wide
              label={t('places.planned')}
              value={addressPoint && formatPoint(addressPoint)}
            />
            <PaperFact
              wide
              label={t('places.outcome')}
              value={outcomePoint && formatPoint(outcomePoint)}
            />
          </>
        )}
      </dl>
    </section>
  );
}
