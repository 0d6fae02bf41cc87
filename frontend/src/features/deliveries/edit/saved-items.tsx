import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { RecordLink } from '@/list/record-link';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/dialog';
import { toast } from '@/ui/toast';
import { deleteItemMutation, type Delivery } from '../delivery-queries';
import { ItemsTable, type ListedItem } from './items-table';

interface SavedItemsProps {
  delivery: Delivery;
  onReload: () => void;
}

/** Saved items; each is edited on its own page. */
export function SavedItems({ delivery, onReload }: SavedItemsProps) {
  const { t } = useTranslation('delivery-editor');
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
            <RecordLink to={routes.newDeliveryItem({ deliveryId })}>{t('items.add')}</RecordLink>
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

interface DeleteItemDialogProps {
  delivery: Pick<Delivery, 'id' | 'version'>;
  item: { itemNumber: string; description: string | null };
  onReload: () => void;
  onClose: () => void;
}

function DeleteItemDialog({ delivery, item, onReload, onClose }: DeleteItemDialogProps) {
  const { t } = useTranslation('delivery-editor');
  const [, execute] = useMutation(deleteItemMutation);
  const [opened] = useState(delivery.version);
  // After the version conflict was shown, a second click applies to the current version.
  const wasTold = useRef(false);
  const { itemNumber } = item;

  async function remove(): Promise<string | undefined> {
    const { error } = await execute({
      input: {
        deliveryId: delivery.id,
        version: wasTold.current ? delivery.version : opened,
        itemNumber,
      },
    });
    if (!error) {
      toast.success(t('items.deleted', { item: itemNumber }));
      return undefined;
    }
    const failed = normalizeError(error);
    if (failed.reason !== 'DELIVERY_CHANGED') return errorText(failed);
    wasTold.current = true;
    onReload();
    return t('items.changed');
  }

  return (
    <ConfirmDialog
      danger
      title={t('items.question', { item: itemNumber })}
      text={t('items.questionText', { description: item.description ?? itemNumber })}
      confirm={t('items.confirm')}
      busy={t('items.deleting')}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
