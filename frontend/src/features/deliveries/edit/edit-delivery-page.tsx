import { Lock } from 'lucide-react';
import { type FieldValues, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMutation } from 'urql';
import { useTimeZone } from '@/data/use-time-zone';
import { convertTimes, type EditInput, inputOf, placeErrors, shownFields, valuesOf } from '@/form/define-form';
import { Form, FormFields, FormSummary, SubmitButton } from '@/form/form';
import { UnsavedGuard } from '@/form/page-form';
import { DefinedFields, labelsOf, resetUnchanged } from '@/form/record-form';
import { ruleMessages } from '@/form/rule-message';
import { useFormTimeZone } from '@/form/use-form-time-zone';
import { showFieldErrors, useRefill } from '@/form/use-save';
import { useText } from '@/i18n/texts';
import { formatDateTime } from '@/lib/dates';
import { useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Panel } from '@/ui/panel';
import { toast } from '@/ui/toast';
import { DeliveryHeader, DeliverySkeleton, DeliveryState } from '../delivery-frame';
import { DeliveryItems } from '../delivery-items';
import {
  type Delivery,
  type DeliveryAction,
  updateDeliveryMutation,
  useDelivery,
} from '../delivery-queries';
import { CorrectForm } from '../outcomes/correct-form';
import { OutcomeForm } from '../outcomes/outcome-form';
import type { OutcomeKind } from '../outcomes/outcome-values';
import { ChangedNote, useChange } from '../use-change';
import { useReasons } from '../use-reasons';
import { FormFooter, useBack, ActionGuard } from '../action-guard';
import { headForm, type HeadFields } from './head-form';
import { SavedItems } from './saved-items';

/** The action for each value of the URL parameter `outcome`. Without the parameter, the details are edited. */
const actions: Record<OutcomeKind | 'correct' | 'facts', DeliveryAction> = {
  delivered: 'complete',
  undelivered: 'mark_undelivered',
  rejected: 'reject',
  correct: 'correct_lines',
  facts: 'edit',
};
type Asked = keyof typeof actions;

const isAsked = (text: string | undefined): text is Asked =>
  text !== undefined && Object.hasOwn(actions, text);

export default function EditDeliveryPage() {
  const { deliveryId, outcome } = useRouteParams('editDelivery');
  const result = useDelivery(deliveryId);
  const asked = isAsked(outcome) ? outcome : 'facts';
  return (
    <PageFrame>
      <DeliveryState id={deliveryId} result={result} loading={<DeliverySkeleton />}>
        {(delivery) => (
          <>
            <DeliveryHeader delivery={delivery} />
            {/* Another delivery or action must not inherit the form's state. */}
            <ActionGuard
              key={`${asked}/${delivery.id}`}
              delivery={delivery}
              action={actions[asked]}
            >
              <AskedForm asked={asked} delivery={delivery} onReload={result.retry} />
            </ActionGuard>
          </>
        )}
      </DeliveryState>
    </PageFrame>
  );
}

interface AskedFormProps {
  asked: Asked;
  delivery: Delivery;
  onReload: () => void;
}

function AskedForm({ asked, ...props }: AskedFormProps) {
  if (asked === 'facts') return <EditForm {...props} />;
  if (asked === 'correct') return <CorrectForm {...props} />;
  return <OutcomeForm kind={asked} {...props} />;
}

interface EditFormProps {
  delivery: Delivery;
  onReload: () => void;
}

const names = shownFields(headForm, false).map(([name]) => name);

/** Edits the details of an open delivery. Its items can be edited until an outcome is recorded. */
function EditForm({ delivery, onReload }: EditFormProps) {
  const { t } = useTranslation(['delivery-editor', 'deliveries', 'common', 'form']);
  const textOf = useText();
  const back = useBack(delivery.id);
  const reasons = useReasons();
  const change = useChange(delivery, 'edit', onReload);
  const { base } = change;
  const [, execute] = useMutation(updateDeliveryMutation);
  const current = useTimeZone();
  const read = (row: Delivery) => valuesOf(headForm, row, current);
  const form = useForm<FieldValues>({ defaultValues: read(base) });
  const { defaultValues = {}, errors, isDirty, isSubmitting } = form.formState;
  const timeZone = useFormTimeZone(form, (values, from, to) => convertTimes(headForm, values, from, to, base));

  // Without edits the form can reload without asking.
  useRefill(change.isBehind && !isDirty, () => {
    change.rebase();
    form.reset(read(delivery));
  });

  async function submit(values: FieldValues) {
    change.begin();
    const input = inputOf(headForm, values, timeZone, base) as EditInput<HeadFields>;
    const { error } = await execute({ input: { id: base.id, version: base.version, ...input } });
    if (!error) {
      toast.success(t('edit.done', { id: base.id }));
      await change.settle(back.go);
      return;
    }
    const failed = change.refuse(error);
    if (failed) showFieldErrors(placeErrors(headForm, failed), names, form.setError);
  }

  function keep() {
    change.rebase();
    resetUnchanged(form, defaultValues, read(delivery));
  }

  return (
    <Form form={form} onSubmit={submit} className="flex flex-1 flex-col">
      <UnsavedGuard when={isDirty} isSaving={isSubmitting} exit={change.exit} />
      <div className="flex max-w-[960px] flex-1 flex-col gap-4">
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
          failure={change.failure && placeErrors(headForm, change.failure)}
          messages={ruleMessages(labelsOf(headForm, textOf, false), errors)}
          setFocus={form.setFocus}
        />
        <Panel className="flex flex-col gap-4 p-4">
          <Field label={t('deliveries:fields.id')} hint={t('hints.id')} className="sm:max-w-1/2">
            <Input
              readOnly
              value={base.id}
              end={<Lock aria-hidden className="me-1 size-3.5 text-muted" />}
            />
          </Field>
          <FormFields>
            <DefinedFields definition={headForm} form={form} />
          </FormFields>
        </Panel>
        {delivery.allowedActions.includes('edit_items') ? (
          <SavedItems delivery={delivery} onReload={onReload} />
        ) : (
          <DeliveryItems delivery={delivery} reasons={reasons} />
        )}
      </div>
      <FormFooter
        errors={Object.keys(errors).length}
        note={t('lastSaved', { by: base.updatedBy, at: formatDateTime(base.updatedAt, timeZone) })}
      >
        <Button asChild size={36}>
          <Link {...back.link}>{t('cancel', { ns: 'common' })}</Link>
        </Button>
        <SubmitButton
          size={36}
          busy={isSubmitting}
          disabled={!isDirty || change.isGone}
          label={t('save', { ns: 'common' })}
          busyLabel={t('saving', { ns: 'form' })}
        />
      </FormFooter>
    </Form>
  );
}
