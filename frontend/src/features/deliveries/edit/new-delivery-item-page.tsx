import { type ReactNode, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useAuth } from '@/auth/use-auth';
import type { AppError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { Form, FormFields, FormSummary, SubmitButton } from '@/form/form';
import { UnsavedGuard } from '@/form/page-form';
import { ruleMessages } from '@/form/rule-message';
import { SignOutGuard } from '@/form/sign-out-guard';
import { type Exit, useLeave } from '@/form/use-leave';
import { showFieldErrors } from '@/form/use-save';
import { RecordLink, useRecordNavigate } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { toast } from '@/ui/toast';
import { DeliveryHeader, DeliverySkeleton, DeliveryState } from '../delivery-frame';
import { createItemMutation, type Delivery, useDelivery } from '../delivery-queries';
import { ChangedNote, useChange } from '../use-change';
import { useReasons } from '../use-reasons';
import { ActionGuard } from '../action-guard';
import { isEmptyDraft, readDraft, writeDraft } from './draft';
import { itemErrors, ItemFields, useItemLabels } from './item-fields';
import { ITEM_FIELDS, itemInput, type ItemValues, nextItem } from './item-values';

/** Adds an item to the delivery that the address names, or else to the draft. */
export default function NewDeliveryItemPage() {
  const { deliveryId, index } = useRouteParams('newDeliveryItem');
  return (
    <PageFrame>
      {deliveryId === undefined ? (
        <DraftItem key={index} index={index} />
      ) : (
        <AddItem key={deliveryId} deliveryId={deliveryId} />
      )}
    </PageFrame>
  );
}

/** Adds an item to the draft, or edits the one at `index`. */
function DraftItem({ index }: { index: string | undefined }) {
  const { t } = useTranslation('delivery-editor');
  const navigate = useRecordNavigate();
  const userId = useAuth().currentUser?.id ?? '';
  const { exit, leave } = useLeave();
  const timeZone = useTimeZone();
  const [draft] = useState(() => readDraft(userId, timeZone));
  const at = index === undefined ? -1 : Number(index);
  const known = draft.items[at];
  const others = draft.items.filter((_, place) => place !== at).map(({ itemNumber }) => itemNumber);

  async function keep(values: ItemValues) {
    // The delivery was created while this item was being entered.
    if (isEmptyDraft(readDraft(userId, timeZone)) && !isEmptyDraft(draft)) {
      toast.error(t('items.draftGone'));
      await leave(() => navigate(routes.deliveries()));
      return undefined;
    }
    const item = { ...values, itemNumber: values.itemNumber.trim() };
    const items = known ? draft.items.with(at, item) : [...draft.items, item];
    writeDraft(userId, { ...draft, items });
    toast.success(t('items.added', { item: item.itemNumber }));
    await leave(() => navigate(routes.newDelivery()));
    return undefined;
  }

  return (
    <>
      <SignOutGuard when={!isEmptyDraft(draft)} text={t('new.signOut')} />
      <NewItemForm
        initial={known ?? nextItem(others)}
        taken={others}
        submit={t(known ? 'items.keep' : 'items.add')}
        back={routes.newDelivery()}
        exit={exit}
        onSubmit={keep}
      />
    </>
  );
}

/** Adds an item to a saved delivery. */
function AddItem({ deliveryId }: { deliveryId: string }) {
  const result = useDelivery(deliveryId);
  return (
    <DeliveryState id={deliveryId} result={result} loading={<DeliverySkeleton />}>
      {(delivery) => (
        <>
          <DeliveryHeader delivery={delivery} />
          <ActionGuard delivery={delivery} action="edit_items">
            <AddItemForm delivery={delivery} onReload={result.retry} />
          </ActionGuard>
        </>
      )}
    </DeliveryState>
  );
}

function AddItemForm({ delivery, onReload }: { delivery: Delivery; onReload: () => void }) {
  const { t } = useTranslation('delivery-editor');
  const navigate = useRecordNavigate();
  const reasons = useReasons();
  const change = useChange(delivery, 'edit_items', onReload);
  const [, execute] = useMutation(createItemMutation);
  const { base } = change;
  const numbers = delivery.items.map(({ itemNumber }) => itemNumber);
  const back = routes.editDelivery({ deliveryId: base.id });

  async function add(values: ItemValues): Promise<AppError | undefined> {
    change.begin();
    const item = itemInput(values);
    const { error } = await execute({
      input: { deliveryId: base.id, version: base.version, item },
    });
    if (!error) {
      toast.success(t('items.added', { item: item.itemNumber }));
      await change.settle(() => navigate(back));
      return undefined;
    }
    const failed = change.refuse(error);
    return failed && itemErrors(failed);
  }

  return (
    <NewItemForm
      initial={nextItem(numbers)}
      taken={numbers}
      submit={t('items.add')}
      back={back}
      exit={change.exit}
      failure={change.failure}
      disabled={change.isGone}
      note={
        <ChangedNote
          change={change}
          latest={delivery}
          reasons={reasons}
          onKeep={change.rebase}
          onReload={onReload}
        />
      }
      onSubmit={add}
    />
  );
}

interface NewItemFormProps {
  initial: ItemValues;
  taken: readonly string[];
  submit: string;
  back: string;
  exit: Exit;
  failure?: AppError | undefined;
  note?: ReactNode;
  disabled?: boolean;
  /** Saves and leaves the page; returns the error if it fails. */
  onSubmit: (values: ItemValues) => Promise<AppError | undefined>;
}

/** Form for a new item of a draft or a saved delivery. */
function NewItemForm(props: NewItemFormProps) {
  const { initial, taken, submit, back, exit, failure, note, disabled, onSubmit } = props;
  const { t } = useTranslation(['common', 'form']);
  const labels = useItemLabels();
  const form = useForm<ItemValues>({ defaultValues: initial });
  const { errors, isDirty, isSubmitting } = form.formState;

  async function send(values: ItemValues) {
    const failed = await onSubmit(values);
    if (failed) showFieldErrors(failed, ITEM_FIELDS, form.setError);
  }

  return (
    <Form form={form} onSubmit={send} className="flex max-w-[560px] flex-col gap-4">
      <UnsavedGuard when={isDirty} isSaving={isSubmitting} exit={exit} />
      {note}
      <FormSummary
        failure={failure}
        messages={ruleMessages(labels, errors)}
        setFocus={form.setFocus}
      />
      <Panel className="flex flex-col gap-4 p-4">
        <FormFields>
          <ItemFields form={form} taken={taken} />
        </FormFields>
        <div className="flex gap-2 border-t border-line pt-4">
          <SubmitButton
            size={36}
            busy={isSubmitting}
            disabled={disabled}
            label={submit}
            busyLabel={t('form:saving')}
          />
          <Button asChild size={36}>
            <RecordLink to={back}>{t('cancel')}</RecordLink>
          </Button>
        </div>
      </Panel>
    </Form>
  );
}
