import { CircleCheck, CircleSlash, CircleX } from 'lucide-react';
import { type Control, useForm, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useTimeZone } from '@/data/use-time-zone';
import { useAttachments } from '@/domain/proof/use-attachments';
import { RadioField } from '@/form/choice-fields';
import { Form, FormFields, FormSummary, SubmitButton } from '@/form/form';
import { useFieldTimeZone } from '@/form/use-form-time-zone';
import { UnsavedGuard } from '@/form/page-form';
import { useText } from '@/i18n/texts';
import { formatDateTime } from '@/lib/dates';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/dialog';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { IncompleteNote } from '../delivery-frame';
import type { Delivery, DeliveryAction } from '../delivery-queries';
import { asExpected, mergeLines } from '../lines';
import { ChangedNote, useChange } from '../use-change';
import { useReasons } from '../use-reasons';
import { FormFooter, useBack } from '../action-guard';
import { type LinesForm, StatusPanel } from './line-inputs';
import { LinesPanel } from './lines-panel';
import { OutcomeFields } from './outcome-fields';
import {
  initialValues,
  type OutcomeKind,
  type OutcomeValues,
  proofMessages,
  useRequiredProof,
} from './outcome-values';
import { ProofFields } from './proof-fields';
import { filesOf } from './proofs';
import { countErrors, lineMessages, useRecordOutcome } from './use-record-outcome';

const actionOf: Record<OutcomeKind, DeliveryAction> = {
  delivered: 'complete',
  undelivered: 'mark_undelivered',
  rejected: 'reject',
};
const icons = { delivered: CircleCheck, undelivered: CircleSlash, rejected: CircleX };
const KINDS = ['delivered', 'undelivered', 'rejected'] as const;

interface OutcomeFormProps {
  delivery: Delivery;
  /** The requested outcome. */
  kind: OutcomeKind;
  onReload: () => void;
}

/** Records an outcome: completed line by line, undelivered, or rejected. */
export function OutcomeForm({ delivery, kind: asked, onReload }: OutcomeFormProps) {
  const { t } = useTranslation(['outcomes', 'common', 'form', 'deliveries']);
  const textOf = useText();
  const back = useBack(delivery.id);
  const reasons = useReasons();
  const attachments = useAttachments(delivery.id, filesOf(delivery));
  const form = useForm<OutcomeValues>({ defaultValues: initialValues(delivery, asked, useTimeZone()) });
  const timeZone = useFieldTimeZone(form, 'occurredAt');
  const { errors, isDirty, isSubmitting } = form.formState;
  const kind = useWatch({ control: form.control, name: 'kind' });
  const change = useChange(delivery, actionOf[kind], onReload);
  const { base } = change;
  const needed = useRequiredProof({ delivery, form, kind, attachments, reasons });
  const { submit, filesFailed, early } = useRecordOutcome({ form, change, attachments, timeZone, back });
  // The line inputs and the status panel are typed for a form that has only lines.
  const linesForm = form as unknown as UseFormReturn<LinesForm>;
  const isChanged = isDirty || attachments.entries.length > 0;
  const messages = [
    ...proofMessages(errors, textOf),
    ...lineMessages(errors.lines, base.items, textOf),
  ];

  function keep() {
    form.setValue(
      'lines',
      mergeLines(base.items, delivery.items, form.getValues('lines'), asExpected),
    );
    change.rebase();
  }

  return (
    <Form form={form} onSubmit={submit} className="flex flex-1 flex-col">
      {early.isOpen && (
        <EarlyDialog
          id={base.id}
          scheduledatetime={base.scheduledatetime}
          timeZone={timeZone}
          onAnswer={early.answer}
        />
      )}
      <UnsavedGuard when={isChanged} isSaving={isSubmitting} exit={change.exit} />
      <div className="grid flex-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_300px]">
        <div className="flex min-w-0 flex-col gap-4">
          <ChangedNote
            change={change}
            latest={delivery}
            reasons={reasons}
            onKeep={keep}
            onReload={onReload}
          />
          {kind === 'delivered' && (
            <IncompleteNote delivery={delivery} text={t('incomplete.complete', { ns: 'deliveries' })} />
          )}
          <FormSummary
            failure={change.failure}
            messages={messages}
            setFocus={form.setFocus}
          />
          {filesFailed && (
            <Note tone="bad" role="alert" title={t('files.failed')}>
              {t('files.failedText')}
            </Note>
          )}
          <FormFields>
            <Panel className="flex flex-col gap-4 p-4">
              <RadioField
                {...form.register('kind', {
                  // The reasons of the two statuses differ, so the choice is cleared.
                  onChange: () => form.setValue('outcomeReason', ''),
                })}
                label={t('fields.kind')}
                error={errors.kind}
                options={KINDS.filter(
                  // Keep the requested outcome even if it is no longer allowed, so that the form can report it.
                  (value) => value === asked || delivery.allowedActions.includes(actionOf[value]),
                ).map((value) => ({ value, label: t(`kind.${value}`), icon: icons[value] }))}
              />
              <OutcomeFields {...{ delivery, form, kind, reasons, needed }} />
            </Panel>
            {kind === 'delivered' && base.items.length > 0 && (
              <LinesPanel form={linesForm} items={base.items} reasons={reasons} />
            )}
          </FormFields>
          {errors.root && (
            <Note tone="bad" role="alert">
              {errors.root.message}
            </Note>
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {kind === 'delivered' && base.items.length > 0 && (
            <StatusPanel
              control={form.control as unknown as Control<LinesForm>}
              items={base.items}
            />
          )}
          <ProofFields {...{ form, delivery, attachments, needed, kind }} />
        </div>
      </div>
      <FormFooter errors={countErrors(errors)}>
        <Button asChild size={36}>
          <Link {...back.link}>{t('cancel', { ns: 'common' })}</Link>
        </Button>
        <SubmitButton
          size={36}
          busy={isSubmitting}
          disabled={change.isGone}
          label={t('save', { ns: 'common' })}
          busyLabel={t('saving', { ns: 'form' })}
        />
      </FormFooter>
    </Form>
  );
}

interface EarlyDialogProps {
  id: string;
  scheduledatetime: string;
  timeZone: string;
  onAnswer: (yes: boolean) => void;
}

/** Asks for confirmation before completing a delivery ahead of its dispatch time. */
function EarlyDialog({ id, scheduledatetime, timeZone, onAnswer }: EarlyDialogProps) {
  const { t } = useTranslation('outcomes');
  return (
    <ConfirmDialog
      title={t('early.title')}
      text={t('early.text', { id, at: formatDateTime(scheduledatetime, timeZone) })}
      confirm={t('early.confirm')}
      busy={t('early.busy')}
      onConfirm={() => {
        onAnswer(true);
        return Promise.resolve(undefined);
      }}
      onClose={() => onAnswer(false)}
    />
  );
}
