import { Lock } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMutation } from 'urql';
import { useTimeZone } from '@/data/use-time-zone';
import { Form, FormSummary, SubmitButton } from '@/form/form';
import { UnsavedGuard } from '@/form/page-form';
import { ruleMessages } from '@/form/rule-message';
import { showFieldErrors } from '@/form/use-save';
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
import { FormFooter, useBack, WhileAllowed } from '../while-allowed';
import { headErrors, HeadFields, useHeadLabels } from './head-fields';
import { HEAD_FIELDS, headInput, headOf, type HeadValues, mergeHead } from './head-values';
import { SavedItems } from './saved-items';

/** What an address asks for, by its parameter `outcome`; without it the facts are edited. */
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
            {/* Another delivery, or another thing to do with it, is another form. */}
            <WhileAllowed
              key={`${asked}/${delivery.id}`}
              delivery={delivery}
              action={actions[asked]}
            >
              <AskedForm asked={asked} delivery={delivery} onReload={result.retry} />
            </WhileAllowed>
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

/** The facts of a delivery that is still open, and its items while nothing was counted. */
function EditForm({ delivery, onReload }: EditFormProps) {
  const { t } = useTranslation(['delivery-form', 'deliveries', 'common', 'form']);
  const timeZone = useTimeZone();
  const back = useBack(delivery.id);
  const reasons = useReasons();
  const labels = useHeadLabels();
  const change = useChange(delivery, 'edit', onReload);
  const { base } = change;
  const [, execute] = useMutation(updateDeliveryMutation);
  const form = useForm<HeadValues>({ defaultValues: headOf(base, timeZone) });
  const { errors, isDirty, isSubmitting } = form.formState;
  const { reset } = form;
  const [saved, setSaved] = useState(() => headOf(base, timeZone));
  const { isBehind, rebase } = change;

  useEffect(() => {
    // With nothing typed there is nothing to ask about.
    if (!isBehind || isDirty) return;
    const values = headOf(delivery, timeZone);
    rebase();
    setSaved(values);
    reset(values);
  }, [isBehind, isDirty, delivery, timeZone, rebase, reset]);

  async function submit(values: HeadValues) {
    change.begin();
    const { error } = await execute({
      input: { id: base.id, version: base.version, ...headInput(values, base, timeZone) },
    });
    if (!error) {
      change.settle();
      toast.success(t('edit.done', { id: base.id }));
      await back.go();
      return;
    }
    const failed = change.refuse(error);
    if (failed) showFieldErrors(headErrors(failed), HEAD_FIELDS, form.setError);
  }

  function keep() {
    const after = headOf(delivery, timeZone);
    const merged = mergeHead(saved, form.getValues(), after);
    rebase();
    setSaved(after);
    reset(after);
    for (const name of HEAD_FIELDS) {
      form.setValue(name, merged[name], { shouldDirty: true });
    }
  }

  return (
    <Form form={form} onSubmit={submit} className="flex flex-1 flex-col">
      <UnsavedGuard when={isDirty && !isSubmitting} />
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
          failure={change.failure}
          messages={ruleMessages(labels, errors)}
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
          <HeadFields form={form} savedAddress={saved.customeraddress} />
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
