import { useState } from 'react';
import type { FieldErrors, UseFormReturn, UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import type { AppError } from '@/data/errors';
import type { AttachmentsControl } from '@/domain/proof/use-attachments';
import { type FieldMessage, ruleMessage } from '@/form/rule-message';
import { useConfirm } from '@/form/use-confirm';
import { showFieldErrors } from '@/form/use-save';
import type { TextOf } from '@/i18n/texts';
import { fromWallTime } from '@/lib/dates';
import { toast } from '@/ui/toast';
import { type DeliveryItem, recordOutcomeMutation } from '../delivery-queries';
import { countOf, impliedStatus, toInput } from '../lines';
import type { Change } from '../use-change';
import type { Back } from '../action-guard';
import type { LinesForm } from './line-inputs';
import type { OutcomeValues } from './outcome-values';

interface RecordOptions {
  form: UseFormReturn<OutcomeValues>;
  change: Change;
  attachments: AttachmentsControl;
  timeZone: string;
  back: Back;
}

/** Uploads the files, then records the outcome that they belong to. */
export function useRecordOutcome({ form, change, attachments, timeZone, back }: RecordOptions) {
  const { t } = useTranslation(['outcomes', 'common']);
  const [, execute] = useMutation(recordOutcomeMutation);
  const [filesFailed, setFilesFailed] = useState(false);
  const { base, clientEventId } = change;
  // If the time was not edited, it means the moment of saving, not the moment when the form was opened.
  const isTimed = Boolean(form.formState.dirtyFields.occurredAt);
  const early = useConfirm();

  function isBeforeDispatch({ kind, occurredAt }: OutcomeValues) {
    const at = isTimed ? fromWallTime(occurredAt, timeZone) : new Date().toISOString();
    return kind === 'delivered' && at !== undefined && Date.parse(at) < Date.parse(base.scheduledatetime);
  }

  /** Returns the status and lines to send. The status is left out if the lines imply it. */
  function outcomeOf(values: OutcomeValues) {
    if (values.kind === 'undelivered') return { status: 'Undelivered' as const };
    if (values.kind === 'rejected') return { status: 'Rejected' as const };
    if (base.items.length === 0) return { status: 'Complete_No_Variance' as const };
    const lines = base.items.flatMap((item, index) => {
      const line = values.lines[index];
      return line ? [toInput(line, item.quantity)] : [];
    });
    const isSilent = impliedOf(values) === undefined;
    return { lines, ...(isSilent && { status: 'Complete_No_Variance' as const }) };
  }

  function impliedOf(values: OutcomeValues) {
    const counts = base.items.flatMap((item, index) => {
      const line = values.lines[index];
      return (line && countOf(line, item.quantity)) ?? [];
    });
    return impliedStatus(counts);
  }

  async function submit(values: OutcomeValues) {
    change.begin();
    setFilesFailed(false);
    const implied = values.kind === 'delivered' ? impliedOf(values) : undefined;
    if (implied === 'Undelivered' || implied === 'Rejected') {
      form.setError('root', { message: t('lines.nothing') });
      return;
    }
    if (isBeforeDispatch(values) && !(await early.confirm())) return;
    if (!(await attachments.send())) {
      setFilesFailed(true);
      return;
    }
    const isHandedOver = values.kind !== 'undelivered';
    const point =
      values.lat === '' ? null : { lat: Number(values.lat), lng: Number(values.lng) };
    const { data, error } = await execute({
      input: {
        deliveryId: base.id,
        version: base.version,
        clientEventId,
        ...outcomeOf(values),
        outcomeReason: values.kind === 'delivered' ? null : values.outcomeReason,
        outcomeNote: values.outcomeNote.trim() || null,
        receivedBy: (isHandedOver && values.receivedBy.trim()) || null,
        receivedByRelation: (isHandedOver && values.receivedByRelation) || null,
        scanmode: values.scanmode ? 'Yes' : 'No',
        point,
        ...(isTimed && { occurredAt: fromWallTime(values.occurredAt, timeZone) ?? null }),
      },
    });
    if (data) {
      const { id, deliverystatus } = data.recordOutcome;
      const status = t(`status.delivery.${deliverystatus}`, { ns: 'common' });
      toast.success(t('record.done', { id, status }));
      await change.settle(back.go);
      return;
    }
    const failed = change.refuse(error);
    if (failed) showOutcomeErrors(failed, form.setError);
  }

  return { submit, filesFailed, early };
}

const LINE_FIELDS = [
  'quantityDelivered',
  'quantityRejected',
  'condition',
  'varianceReason',
  'varianceNote',
] as const;

/** Returns the messages of the lines, such as 'Item 40: Reason is required'. */
export function lineMessages(
  errors: FieldErrors<LinesForm>['lines'],
  items: readonly DeliveryItem[],
  textOf: TextOf,
): FieldMessage[] {
  return items.flatMap(({ itemNumber }, index) => {
    const wrong = errors?.[index];
    if (!wrong) return [];
    return LINE_FIELDS.flatMap((name) => {
      const message = ruleMessage(textOf(`deliveries:fields.${name}`), wrong[name]);
      if (!message) return [];
      return [
        { name: `lines.${index}.${name}`, text: textOf('outcomes:lines.message', { item: itemNumber, message }) },
      ];
    });
  });
}

/** Counts the invalid inputs of the lines. */
export function countLineErrors(lines: FieldErrors<LinesForm>['lines']): number {
  if (!Array.isArray(lines)) return 0;
  return lines.reduce((sum: number, line?: object) => sum + Object.keys(line ?? {}).length, 0);
}

/** Counts the invalid fields, including those of lines. */
export function countErrors({ lines, root: _root, ...errors }: FieldErrors<OutcomeValues>): number {
  return Object.keys(errors).length + countLineErrors(lines);
}

const FIELDS = [
  'outcomeReason',
  'outcomeNote',
  'receivedBy',
  'receivedByRelation',
  'occurredAt',
  'scanmode',
  'signature',
  'photos',
] as const;

const OF_A_LINE = /^lines\.\d+\.\w+$/;

/** Extracts the line fields that a server error names. */
export function lineFields(failed: AppError) {
  return Object.keys(failed.fields).filter((name) => OF_A_LINE.test(name)) as `lines.${number}.quantityDelivered`[];
}

/** Shows server errors at their fields. An error about the location is shown at the latitude. */
function showOutcomeErrors(failed: AppError, setError: UseFormSetError<OutcomeValues>) {
  const { location, ...fields } = failed.fields;
  showFieldErrors(
    { ...failed, fields: { ...fields, ...(location && { lat: location }) } },
    [...FIELDS, 'lat', ...lineFields(failed)],
    setError,
  );
}
