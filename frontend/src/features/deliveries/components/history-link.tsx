import { History } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { encodeFilters } from '@/list/filters-codec';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';

/** The status history with the steps of this delivery alone. */
export function HistoryLink({ id }: { id: string }) {
  const { t } = useTranslation('deliveries');
  const values = [{ label: id, value: id }];
  return (
    <Button asChild icon={History}>
      <Link
        to={routes.deliveryStatusHistories({
          filters: encodeFilters([{ key: 'deliveryId', operator: 'equals', values }]),
        })}
      >
        {t('view.history')}
      </Link>
    </Button>
  );
}
