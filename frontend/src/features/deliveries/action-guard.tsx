import { CircleAlert } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useRecordLink, useRecordNavigate } from '@/list/record-link';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import type { Delivery, DeliveryAction } from './delivery-queries';

interface ActionGuardProps {
  delivery: Delivery;
  action: DeliveryAction;
  children: ReactNode;
}

/**
 * Renders a form if the server allows the action. An opened form stays even if the delivery changes, so that no input
 * is lost. The form itself reports the change.
 */
export function ActionGuard({ delivery, action, children }: ActionGuardProps) {
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

/** Returns the way back to the delivery, as a link and as a function. */
export function useBack(deliveryId: string) {
  const link = useRecordLink();
  const navigate = useRecordNavigate();
  return useMemo(() => {
    const to = routes.viewDelivery({ deliveryId });
    return { link: link(to), go: () => navigate(to) };
  }, [deliveryId, link, navigate]);
}

export type Back = ReturnType<typeof useBack>;

interface FormFooterProps {
  /** Number of invalid fields. */
  errors: number;
  note?: ReactNode;
  /** The cancel button, then the primary button. */
  children: ReactNode;
}

/** The footer of a form. It sticks to the bottom, except in low windows. */
export function FormFooter({ errors, note, children }: FormFooterProps) {
  const { t } = useTranslation('outcomes');
  return (
    <div className="sticky bottom-0 z-10 -mx-4 mt-4 -mb-6 flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 border-t border-line bg-surface px-4 py-2 short:static md:-mx-6 md:px-6">
      {errors > 0 && (
        <span className="flex items-center gap-1.5 text-sm text-bad">
          <CircleAlert aria-hidden className="size-4" />
          {t('errors', { count: errors })}
        </span>
      )}
      {note && <span className="min-w-0 text-sm text-muted max-md:hidden">{note}</span>}
      <div className="ms-auto flex gap-2">{children}</div>
    </div>
  );
}
