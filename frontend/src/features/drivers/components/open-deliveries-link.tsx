import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useRecord } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { formatCount } from '@/lib/numbers';
import { toWhere } from '@/list/to-where';
import { deliveriesAddress, deliveriesOf } from '../list-links';
import { openOfDriverQuery } from '../queries';

/** How many open deliveries are assigned to a driver, and the way to them. */
export function OpenDeliveriesLink({ driverId }: { driverId: string }) {
  const { t } = useTranslation('drivers');
  const timeZone = useTimeZone();
  const { value, error } = useRecord({
    document: openOfDriverQuery,
    variables: { open: toWhere(deliveriesOf(driverId, 'open'), timeZone) },
    typenames: ['Delivery'],
    read: ({ open }) => open,
  });
  if (!value && !error) return null;
  if (value?.total === 0) return t('open.none');
  // Where the number is not to be had, the way there is.
  const shown = value && `${formatCount(value.total)}${value.exact ? '' : '+'}`;
  return (
    <Link to={deliveriesAddress(driverId, 'open')} className="font-medium text-accent underline">
      {value ? t('open.show', { count: value.total, shown }) : t('open.showAny')}
    </Link>
  );
}
