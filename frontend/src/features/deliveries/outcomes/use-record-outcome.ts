import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useQuestion } from '@/form/use-question';
import { fromWallTime } from '@/lib/dates';
import type { EvidenceControl } from '@/domain/proof/use-evidence';
import { toast } from '@/ui/toast';
import { recordOutcomeMutation } from '../delivery-queries';
import { countOf, impliedStatus, toInput } from '../lines';
import type { Back } from '../use-back';
import type { Change } from '../use-change';
import { showOutcomeErrors } from './form-errors';
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
