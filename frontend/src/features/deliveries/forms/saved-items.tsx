import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import type { Delivery } from '../delivery-queries';
import { DeleteItemDialog } from './delete-item-dialog';
import { ItemsTable, type ListedItem } from './items-table';

interface SavedItemsProps {
  delivery: Delivery;
  onReload: () => void;
}

/** The items as they are kept; each is changed on a page of its own. */
export function SavedItems({ delivery, onReload }: SavedItemsProps) {
  const { t } = useTranslation('delivery-form');
  const { id: deliveryId } = delivery;
  const [asked, setAsked] = useState<ListedItem>();
  return (
    <>
      <ItemsTable
        items={delivery.items}
        editAddress={({ itemNumber }) => routes.editDeliveryItem({ deliveryId, itemNumber })}
        onDelete={setAsked}
        add={
          <Button asChild icon={Plus}>
            <Link to={routes.newDeliveryItem({ deliveryId })}>{t('items.add')}</Link>
          </Button>
        }
      />
      {asked && (
        <DeleteItemDialog
          delivery={delivery}
          item={asked}
          onReload={onReload}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
