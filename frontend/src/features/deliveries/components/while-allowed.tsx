import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import type { Delivery, DeliveryAction } from '../delivery-queries';
import { useBack } from '../use-back';

interface WhileAllowedProps {
  delivery: Delivery;
  action: DeliveryAction;
  children: ReactNode;
}

/**
 * A form for those whom the server lets do this. Once it was opened it stays, also when the delivery
 * moves on: it says so itself, and nothing that was typed is lost.
 */
export function WhileAllowed({ delivery, action, children }: WhileAllowedProps) {
  const { t } = useTranslation(['deliveries', 'common']);
  const back = useBack(delivery.id);
  const isAllowed = delivery.allowedActions.includes(action);
  const [wasAllowed, setWasAllowed] = useState(isAllowed);
  if (isAllowed && !wasAllowed) setWasAllowed(true);
  if (wasAllowed) return children;
  return (
    <Panel>
      <StateView
        kind="forbidden"
        title={t('notAllowed.title', { action: t(`actions.${action}`) })}
        text={t('notAllowed.text', {
          id: delivery.id,
          status: t(`status.delivery.${delivery.deliverystatus}`, { ns: 'common' }),
        })}
        actions={
          <Button asChild variant="primary" size={36}>
            <Link {...back.link}>{t('notAllowed.show')}</Link>
          </Button>
        }
      />
    </Panel>
  );
}
