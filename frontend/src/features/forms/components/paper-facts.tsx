import { useTranslation } from 'react-i18next';
import { formatDate, formatDateTime, formatTime } from '@/lib/dates';
import type { FormContent } from '../queries';
import { PaperFact } from './paper-fact';

interface PaperFactsProps {
  delivery: FormContent['delivery'];
  timeZone: string;
}

const grid = 'grid grid-cols-4 gap-x-5 gap-y-4 @max-lg:grid-cols-2';

export function PaperFacts({ delivery, timeZone }: PaperFactsProps) {
  const { t } = useTranslation(['deliveries', 'common', 'forms']);
  const { scheduledatetime } = delivery;
  const contact = [delivery.contactName, delivery.contactPhone].filter(Boolean).join(', ');
  return (
    <>
      <dl className={`${grid} border-b border-line2 py-4`}>
        <PaperFact strong label={t('fields.id')} value={delivery.id} />
        <PaperFact
          label={t('fields.scheduledatetime')}
          value={formatDateTime(scheduledatetime, timeZone)}
        />
        <PaperFact
          label={t('fields.dispatchDate')}
          value={formatDate(scheduledatetime, timeZone)}
        />
        <PaperFact
          label={t('fields.dispatchTime')}
          value={formatTime(scheduledatetime, timeZone)}
        />
        <PaperFact label={t('fields.referencedoc')} value={delivery.referencedoc} />
        <PaperFact label={t('fields.shipmentnumber')} value={delivery.shipmentnumber} />
        <PaperFact
          label={t('forms:fields.driver')}
          value={delivery.driverId ?? t('common:unassigned')}
        />
        <PaperFact label={t('fields.trucker')} value={delivery.trucker} />
      </dl>
      <dl className={`${grid} border-b border-line2 py-4`}>
        <PaperFact
          wide
          label={t('forms:fields.deliveredTo')}
          value={
            <>
              <span className="font-semibold">{delivery.customername}</span>
              {delivery.customeraddress && (
                <span className="block whitespace-pre-line">{delivery.customeraddress}</span>
              )}
              {contact && <span className="block">{t('forms:contact', { contact })}</span>}
            </>
          }
        />
        <PaperFact
          label={t('fields.attempt')}
          value={t('forms:attemptOf', { attempt: delivery.attempt, max: delivery.maxAttempts })}
        />
        <PaperFact label={t('fields.scanmode')} value={t(delivery.scanmode === 'Yes' ? 'yes' : 'no')} />
      </dl>
    </>
  );
}
