import { type Control, useForm, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMutation } from 'urql';
import { useTimeZone } from '@/data/use-time-zone';
import { type AttachmentsControl, useAttachments } from '@/domain/proof/use-attachments';
import { Form, FormFields, FormSummary, SubmitButton } from '@/form/form';
import { UnsavedGuard } from '@/form/page-form';
import { ruleMessage } from '@/form/rule-message';
import { showFieldErrors } from '@/form/use-save';
import { TextareaField } from '@/form/fields';
import { useText } from '@/i18n/texts';
import { formatDateTime } from '@/lib/dates';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { toast } from '@/ui/toast';
import { ChangedNote } from '../use-change';
import { FormFooter } from '../action-guard';
import type { LinesForm } from './line-inputs';
import { LinesPanel } from './lines-panel';
import { StatusPanel } from './line-inputs';
import { type PhotosForm, PhotosProof } from './photos-proof';
import { filesOf, keptOf, reasonsOfLines } from './proofs';
import { correctDeliveryMutation, type Delivery } from '../delivery-queries';
import { asCounted, type LineValues, mergeLines, toInput } from '../lines';
import { useBack } from '../action-guard';
import { useChange } from '../use-change';
import { type Reasons, useReasons } from '../use-reasons';
import { countLineErrors, lineFields, lineMessages } from './use-record-outcome';
import { limits, requiredText } from '@/form/limits';

interface Values {
  lines: LineValues[];
  reason: string;
  photos: number;
}

interface CorrectFormProps {
  delivery: Delivery;
  onReload: () => void;
}

/** Corrects the counts of a completed delivery. The status follows from the lines, and a new delivery form is issued. */
export function CorrectForm({ delivery, onReload }: CorrectFormProps) {
  const { t } = useTranslation(['outcomes', 'common', 'form']);
  const textOf = useText();
  const timeZone = useTimeZone();
  const back = useBack(delivery.id);
  const reasons = useReasons();
  const change = useChange(delivery, 'correct_lines', onReload);
  const { base, clientEventId } = change;
  const [, execute] = useMutation(correctDeliveryMutation);
  const attachments = useAttachments(delivery.id, filesOf(delivery));
  const form = useForm<Values>({
    defaultValues: { lines: base.items.map(asCounted), reason: '', photos: 0 },
  });
  const { errors, isDirty, isSubmitting, dirtyFields } = form.formState;
  // The line inputs and the status panel are typed for a form that has only lines.
  const linesForm = form as unknown as UseFormReturn<LinesForm>;
  const messages = [
    ...(['reason', 'photos'] as const).flatMap((name) => {
      const text = ruleMessage(t(`fields.${name}`), errors[name]);
      return text ? [{ name, text }] : [];
    }),
    ...lineMessages(errors.lines, base.items, textOf),
  ];

  async function submit({ lines, reason }: Values) {
    change.begin();
    if (!(await attachments.send())) return;
    const { data, error } = await execute({
      input: {
        deliveryId: base.id,
        version: base.version,
        clientEventId,
        reason: reason.trim(),
        lines: base.items.flatMap((item, index) => {
          const line = lines[index];
          return line ? [toInput(line, item.quantity)] : [];
        }),
      },
    });
    if (data) {
      toast.success(t('correct.done', { id: base.id }));
      await change.settle(back.go);
      return;
    }
    const failed = change.refuse(error);
    if (failed) showFieldErrors<Values>(failed, ['reason', 'photos', ...lineFields(failed)], form.setError);
  }

  function keep() {
    form.setValue(
      'lines',
      mergeLines(base.items, delivery.items, form.getValues('lines'), asCounted),
    );
    change.rebase();
  }

  return (
    <Form form={form} onSubmit={submit} className="flex flex-1 flex-col">
      <UnsavedGuard when={isDirty || attachments.entries.length > 0} isSaving={isSubmitting} exit={change.exit} />
      <div className="grid flex-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_300px]">
        <div className="flex min-w-0 flex-col gap-4">
          <ChangedNote
            change={change}
            latest={delivery}
            reasons={reasons}
            onKeep={keep}
            onReload={onReload}
          />
          <FormSummary
            failure={change.failure}
            messages={messages}
            setFocus={form.setFocus}
          />
          <FormFields>
            <LinesPanel form={linesForm} items={base.items} reasons={reasons} />
          </FormFields>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <StatusPanel control={form.control as unknown as Control<LinesForm>} items={base.items} />
          <FormFields>
            <Panel className="p-4">
              <TextareaField
                {...form.register('reason', requiredText(limits.note))}
                label={t('fields.reason')}
                hint={t('correct.reasonHint')}
                error={errors.reason}
              />
            </Panel>
          </FormFields>
          <LinesPhotos {...{ form, delivery, attachments, reasons }} />
        </div>
      </div>
      <FormFooter
        errors={countLineErrors(errors.lines) + (errors.reason ? 1 : 0) + (errors.photos ? 1 : 0)}
        note={t('lastSaved', {
          by: base.updatedBy,
          at: formatDateTime(base.updatedAt, timeZone),
        })}
      >
        <Button asChild size={36}>
          <Link {...back.link}>{t('cancel', { ns: 'common' })}</Link>
        </Button>
        <SubmitButton
          size={36}
          busy={isSubmitting}
          disabled={!dirtyFields.lines || change.isGone}
          label={t('save', { ns: 'common' })}
          busyLabel={t('saving', { ns: 'form' })}
        />
      </FormFooter>
    </Form>
  );
}

interface LinesPhotosProps {
  form: UseFormReturn<Values>;
  delivery: Delivery;
  attachments: AttachmentsControl;
  reasons: Reasons;
}

/**
 * Asks for photos if the reason of a corrected line requires one. A component of its own, because it renders with each
 * typed letter.
 */
function LinesPhotos({ form, delivery, attachments, reasons }: LinesPhotosProps) {
  const lines = useWatch({ control: form.control, name: 'lines' });
  const { errors } = form.formState;
  const corrected = delivery.items.filter((item) => {
    const line = lines.find(({ itemNumber }) => itemNumber === item.itemNumber);
    return JSON.stringify(line) !== JSON.stringify(asCounted(item));
  });
  const isNeeded = reasonsOfLines(corrected, lines, reasons).some(({ requiresPhoto }) => requiresPhoto);
  const kept = keptOf(delivery, 'photo');
  const isMissing = isNeeded && kept === 0;
  if (!isMissing && attachments.entries.length === 0 && errors.photos?.type !== 'server') return null;
  return (
    <Panel className="p-4">
      <PhotosProof
        form={form as unknown as UseFormReturn<PhotosForm>}
        attachments={attachments}
        kept={kept}
        isNeeded={isNeeded}
      />
    </Panel>
  );
}
