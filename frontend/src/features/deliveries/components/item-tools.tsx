import { ArrowLeft, ChevronLeft, ChevronRight, type LucideIcon, Pencil } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import type { Delivery, DeliveryItem } from '../delivery-queries';
import { useBack } from '../use-back';

interface ItemToolsProps {
  delivery: Delivery;
  item: DeliveryItem;
}

/** Through the items of a delivery, back to it, and on to editing. */
export function ItemTools({ delivery, item }: ItemToolsProps) {
  const { t } = useTranslation('deliveries');
  const back = useBack(delivery.id);
  const { items } = delivery;
  const index = items.findIndex(({ itemNumber }) => itemNumber === item.itemNumber);

  function step(icon: LucideIcon, label: string, to: DeliveryItem | undefined) {
    const Icon = icon;
    const look = 'hit-target flex size-8 items-center justify-center rounded-control';
    if (!to) {
      return (
        <span aria-hidden className={`${look} text-line2`}>
          <Icon className="size-4" />
        </span>
      );
    }
    return (
      <Link
        replace
        state={back.link.state}
        aria-label={label}
        className={`${look} text-muted hover:bg-raised hover:text-fg`}
        to={routes.viewDeliveryItem({ deliveryId: delivery.id, itemNumber: to.itemNumber })}
      >
        <Icon aria-hidden className="size-4" />
      </Link>
    );
  }

  return (
    <>
      <nav aria-label={t('item.pages')} className="flex items-center gap-1">
        {step(ChevronLeft, t('item.previous'), items[index - 1])}
        <span className="px-1 text-sm text-muted tabular-nums">
          {t('view.position', { position: index + 1, total: items.length })}
        </span>
        {step(ChevronRight, t('item.next'), items[index + 1])}
      </nav>
      <Button asChild icon={ArrowLeft}>
        <Link {...back.link}>{t('item.back')}</Link>
      </Button>
      {delivery.allowedActions.includes('edit_items') && (
        <Button asChild variant="primary" icon={Pencil}>
          <Link
            to={routes.editDeliveryItem({
              deliveryId: delivery.id,
              itemNumber: item.itemNumber,
            })}
          >
            {t('item.edit')}
          </Link>
        </Button>
      )}
    </>
  );
}
