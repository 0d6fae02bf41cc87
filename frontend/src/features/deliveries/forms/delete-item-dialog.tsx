import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { ConfirmDialog } from '@/ui/dialog';
import { toast } from '@/ui/toast';
import { type Delivery, deleteItemMutation } from '../delivery-queries';

interface DeleteItemDialogProps {
  delivery: Pick<Delivery, 'id' | 'version'>;
  item: { itemNumber: string; description: string | null };
  onReload: () => void;
  onClose: () => void;
}

export function DeleteItemDialog({ delivery, item, onReload, onClose }: DeleteItemDialogProps) {
  const { t } = useTranslation('delivery-form');
  const [, execute] = useMutation(deleteItemMutation);
  const [opened] = useState(delivery.version);
  // Whoever asks again after being told of a change means the delivery as it is now.
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
