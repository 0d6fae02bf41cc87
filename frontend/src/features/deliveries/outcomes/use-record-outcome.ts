import type { TFunction } from 'i18next';
import { useState } from 'react';
import type { FieldErrors, UseFormReturn, UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import type { AppError } from '@/data/errors';
import type { EvidenceControl } from '@/domain/proof/use-evidence';
import { type FieldMessage, ruleMessage } from '@/form/rule-message';
import { useQuestion } from '@/form/use-question';
import { showFieldErrors } from '@/form/use-save';
import { fromWallTime } from '@/lib/dates';
import { toast } from '@/ui/toast';
import { type DeliveryItem, recordOutcomeMutation } from '../delivery-queries';
import { countOf, impliedStatus, toInput } from '../lines';
import type { Change } from '../use-change';
import type { Back } from '../while-allowed';
import type { LinesForm } from './line-inputs';
import type { OutcomeValues } from './outcome-values';

interface RecordOptions {
  form: UseFormReturn<OutcomeValues>;
  change: Change;
  evidence: EvidenceControl;
  timeZone: string;
  back: Back;
}

/** Keeps the files, then tells the outcome they prove. */
export function useRecordOutcome({ form, change, evidence, timeZone, back }: RecordOptions) {
  const { t } = useTranslation(['outcomes', 'common']);
  const [, execute] = useMutation(recordOutcomeMutation);
  const [filesFailed, setFilesFailed] = useState(false);
  const { base, clientEventId } = change;
  // As opened it is now, whenever 'now' will be; once changed it is what was typed.
  const isTimed = Boolean(form.formState.dirtyFields.occurredAt);
  const early = useQuestion();

  function isBeforeDispatch({ kind, occurredAt }: OutcomeValues) {
    const at = isTimed ? fromWallTime(occurredAt, timeZone) : new Date().toISOString();
    return kind === 'delivered' && at !== undefined && Date.parse(at) < Date.parse(base.scheduledatetime);
  }

  /** The lines, and the status where they do not say it. */
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
    if (isBeforeDispatch(values) && !(await early.ask())) return;
    if (!(await evidence.send())) {
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
      change.settle();
      const { id, deliverystatus } = data.recordOutcome;
      const status = t(`status.delivery.${deliverystatus}`, { ns: 'common' });
      toast.success(t('record.done', { id, status }));
      await back.go();
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
  t: TFunction<['outcomes', 'common', 'form']>,
): FieldMessage[] {
  return items.flatMap(({ itemNumber }, index) => {
    const wrong = errors?.[index];
    if (!wrong) return [];
    return LINE_FIELDS.flatMap((name) => {
      const message = ruleMessage(t(`deliveries:fields.${name}`), wrong[name]);
      if (!message) return [];
      return [
        { name: `lines.${index}.${name}`, text: t('lines.message', { item: itemNumber, message }) },
      ];
    });
  });
}

/** How many boxes of the lines are wrong. */
export function countLineErrors(lines: FieldErrors<LinesForm>['lines']): number {
  if (!Array.isArray(lines)) return 0;
  return lines.reduce((sum: number, line?: object) => sum + Object.keys(line ?? {}).length, 0);
}

/** How many fields are wrong, those of the lines among them. */
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

/** The fields of lines that an answer names. */
export function lineFields(failed: AppError) {
  return Object.keys(failed.fields).filter((name) => OF_A_LINE.test(name)) as `lines.${number}.quantityDelivered`[];
}

/** Puts what the server refused under the field it is about; a place has two boxes. */
function showOutcomeErrors(failed: AppError, setError: UseFormSetError<OutcomeValues>) {
  const { location, ...fields } = failed.fields;
  showFieldErrors(
    { ...failed, fields: { ...fields, ...(location && { lat: location }) } },
    [...FIELDS, 'lat', ...lineFields(failed)],
    setError,
  );
}
