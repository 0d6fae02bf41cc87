import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import type { Delivery } from '../delivery-queries';
import { useBack } from '../use-back';

interface NoItemProps {
  delivery: Pick<Delivery, 'id'>;
  itemNumber: string;
}

export function NoItem({ delivery, itemNumber }: NoItemProps) {
  const { t } = useTranslation('deliveries');
  const back = useBack(delivery.id);
  return (
    <Panel>
      <StateView
        kind="no-match"
        title={t('item.notFound.title')}
        text={t('item.notFound.text', { id: delivery.id, item: itemNumber })}
        actions={
          <Button asChild variant="primary" size={36}>
            <Link {...back.link}>{t('item.notFound.action')}</Link>
          </Button>
        }
      />
    </Panel>
  );
}
