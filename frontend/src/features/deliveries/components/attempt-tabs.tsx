import { useTranslation } from 'react-i18next';
import { routes } from '@/routing/routes';
import { statusLook } from '@/ui/status-chip';
import { ViewTabs } from '@/ui/tabs';
import { attemptOf } from '../attempts';
import type { Delivery } from '../delivery-queries';

interface AttemptTabsProps {
  delivery: Delivery;
  current: number;
}

/** One tab for each attempt, the present one last; without it no address says which. */
export function AttemptTabs({ delivery, current }: AttemptTabsProps) {
  const { t } = useTranslation(['deliveries', 'common']);
  if (delivery.attempt < 2) return null;
  const numbers = Array.from({ length: delivery.attempt }, (_, index) => index + 1);
  return (
    <ViewTabs
      label={t('attempts.label')}
      current={String(current)}
      className="mb-4"
      tabs={numbers.map((number) => {
        const { isCurrent, status } = attemptOf(delivery, number);
        return {
          id: String(number),
          label: t('attempts.tab', { number, status: t(`status.delivery.${status}`, { ns: 'common' }) }),
          icon: statusLook({ kind: 'delivery', status }).icon,
          to: routes.viewDelivery({
            deliveryId: delivery.id,
            attempt: isCurrent ? undefined : number,
          }),
        };
      })}
    />
  );
}
