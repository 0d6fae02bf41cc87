import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { readDraft, writeDraft } from './draft';
import { nextItem, type ItemValues } from './item-values';
import { NewItemForm } from './new-item-form';

/** An item of the delivery that is being entered: one more, or the one at a place of its list. */
export function DraftItem({ index }: { index: string | undefined }) {
  const { t } = useTranslation('delivery-form');
  const navigate = useNavigate();
  const userId = useAuth().currentUser?.id ?? '';
  const [draft] = useState(() => readDraft(userId));
  const at = index === undefined ? -1 : Number(index);
  const known = draft.items[at];
  const others = draft.items.filter((_, place) => place !== at).map(({ itemNumber }) => itemNumber);

  async function keep(values: ItemValues) {
    const item = { ...values, itemNumber: values.itemNumber.trim() };
    const items = known ? draft.items.with(at, item) : [...draft.items, item];
    writeDraft(userId, { ...draft, items });
    toast.success(t('items.added', { item: item.itemNumber }));
    await navigate(routes.newDelivery());
    return undefined;
  }

  return (
    <NewItemForm
      initial={known ?? nextItem(others)}
      taken={others}
      submit={t(known ? 'items.keep' : 'items.add')}
      back={routes.newDelivery()}
      onSubmit={keep}
    />
  );
}
