import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { PhotoStrip } from '@/domain/proof/proof-files';
import { Panel, PanelHead } from '@/ui/panel';
import type { Delivery, DeliveryItem } from '../delivery-queries';

interface ItemFilesProps {
  delivery: Pick<Delivery, 'attachments'>;
  item: DeliveryItem;
}

/** The files that show this item. */
export function ItemFiles({ delivery, item }: ItemFilesProps) {
  const { t } = useTranslation('deliveries');
  const id = useId();
  const own = delivery.attachments.filter(({ itemNumber }) => itemNumber === item.itemNumber);
  if (own.length === 0) return null;
  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('proof.title')} note={t('proof.files', { count: own.length })} />
      <div className="max-w-[480px] px-4 pt-1 pb-4">
        <PhotoStrip attachments={own} />
      </div>
    </Panel>
  );
}
