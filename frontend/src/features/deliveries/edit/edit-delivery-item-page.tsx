import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { Form, FormFields, FormSummary, SubmitButton } from '@/form/form';
import { UnsavedGuard } from '@/form/page-form';
import { ruleMessages } from '@/form/rule-message';
import { showFieldErrors, useRefill } from '@/form/use-save';
import { RecordLink, useRecordNavigate } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { toast } from '@/ui/toast';
import { DeliveryHeader, DeliverySkeleton, DeliveryState } from '../delivery-frame';
import {
  type Delivery,
  type DeliveryItem,
  findItem,
  updateItemMutation,
  useDelivery,
} from '../delivery-queries';
import { ChangedNote, useChange } from '../use-change';
import { useReasons } from '../use-reasons';
import { NoItem, ActionGuard } from '../action-guard';
import { itemErrors, ItemFields, useItemLabels } from './item-fields';
import { ITEM_FIELDS, itemInput, itemOf, type ItemValues } from './item-values';

export default function EditDeliveryItemPage() {
  const { deliveryId, itemNumber } = useRouteParams('editDeliveryItem');
  const result = useDelivery(deliveryId);
  return (
    <PageFrame>
      <DeliveryState id={deliveryId} result={result} loading={<DeliverySkeleton />}>
        {(delivery) => {
          const item = findItem(delivery.items, itemNumber);
          if (!item) return <NoItem delivery={delivery} itemNumber={itemNumber} />;
          return (
            <>
              <DeliveryHeader delivery={delivery} />
              <ActionGuard
                key={`${delivery.id}/${item.itemNumber}`}
                delivery={delivery}
                action="edit_items"
              >
                <EditItemForm delivery={delivery} item={item} onReload={result.retry} />
              </ActionGuard>
            </>
          );
        }}
      </DeliveryState>
    </PageFrame>
  );
}

interface EditItemFormProps {
  delivery: Delivery;
  item: DeliveryItem;
  onReload: () => void;
}

/** The form for the expected quantity and details of one line. */
function EditItemForm({ delivery, item, onReload }: EditItemFormProps) {
  const { t } = useTranslation(['delivery-editor', 'common', 'form']);
  const navigate = useRecordNavigate();
  const reasons = useReasons();
  const labels = useItemLabels();
  const change = useChange(delivery, 'edit_items', onReload);
  const { base } = change;
  const [, execute] = useMutation(updateItemMutation);
  const form = useForm<ItemValues>({ defaultValues: itemOf(item) });
  const { errors, isDirty, isSubmitting, dirtyFields } = form.formState;
  const back = routes.editDelivery({ deliveryId: delivery.id });

  // Without edits the form can reload without asking.
  useRefill(change.isBehind && !isDirty, () => {
    change.rebase();
    form.reset(itemOf(item));
  });

  async function submit(values: ItemValues) {
    change.begin();
    const { error } = await execute({
      input: { deliveryId: base.id, version: base.version, item: itemInput(values) },
    });
    if (!error) {
      toast.success(t('items.saved', { item: item.itemNumber }));
      await change.settle(() => navigate(back));
      return;
    }
    const failed = change.refuse(error);
    if (failed) showFieldErrors(itemErrors(failed), ITEM_FIELDS, form.setError);
  }

  function keep() {
    const typed = form.getValues();
    const names = ITEM_FIELDS.filter((name) => dirtyFields[name]);
    change.rebase();
    form.reset(itemOf(item));
    for (const name of names) form.setValue(name, typed[name], { shouldDirty: true });
  }

  return (
    <Form form={form} onSubmit={submit} className="flex max-w-[560px] flex-col gap-4">
      <UnsavedGuard when={isDirty} isSaving={isSubmitting} exit={change.exit} />
      {(isDirty || change.isRefused || change.isGone) && (
        <ChangedNote
          change={change}
          latest={delivery}
          reasons={reasons}
          onKeep={keep}
          onReload={onReload}
        />
      )}
      <FormSummary
        failure={change.failure}
        messages={ruleMessages(labels, errors)}
        setFocus={form.setFocus}
      />
      <Panel className="flex flex-col gap-4 p-4">
        <FormFields>
          <ItemFields isKept form={form} taken={[]} />
        </FormFields>
        <div className="flex gap-2 border-t border-line pt-4">
          <SubmitButton
            size={36}
            busy={isSubmitting}
            disabled={!isDirty || change.isGone}
            label={t('save', { ns: 'common' })}
            busyLabel={t('saving', { ns: 'form' })}
          />
          <Button asChild size={36}>
            <RecordLink to={back}>{t('cancel', { ns: 'common' })}</RecordLink>
          </Button>
        </div>
      </Panel>
    </Form>
  );
}
