import { type ReactNode, useEffect, useRef } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { QueryState } from '@/data/query-state';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { Form, FormFields, FormSummary } from '@/form/form';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Note } from '@/ui/note';
import { ProgressBar } from '@/ui/progress-bar';
import {
  type BulkChange,
  bulkChangeQuery,
  cancelBulkChangeMutation,
  type ChangeAll,
  markSeen,
  verbOf,
} from './change-all';

interface AllDialogProps<Values extends FieldValues> {
  title: string;
  /** Describes the effect before the action is confirmed. */
  description: string;
  all: ChangeAll;
  form: UseFormReturn<Values>;
  /** Called with a finished change when the dialog closes. */
  onEnd?: (change: BulkChange) => void;
  onDone: () => void;
  onClose: () => void;
  /** Fields of the change, such as the new driver. */
  children: ReactNode;
}

/** Dialog that changes all matching deliveries: the form, the number of deliveries, then progress and result. */
export function AllDialog<Values extends FieldValues>(props: AllDialogProps<Values>) {
  const { title, description, all, form, onEnd, onDone, onClose, children } = props;
  const { t } = useTranslation(['deliveries-list', 'common']);
  const [, cancel] = useMutation(cancelBulkChangeMutation);
  const { step, change, busy } = all;

  function close() {
    // Counting changes nothing, so it can be left.
    if (busy && step !== 'asking') return;
    if (step === 'ended' && change) {
      markSeen(change.id);
      onEnd?.(change);
    }
    if (step === 'ended' || step === 'running') onDone();
    onClose();
  }

  const fitting = change?.changed ?? 0;
  const counts = { count: fitting, shown: formatCount(fitting), total: formatCount(change?.total ?? 0) };
  return (
    <Dialog open onOpenChange={close}>
      <DialogContent
        title={title}
        description={step === 'asking' ? description : undefined}
        width={560}
        staysOpen
        footer={
          step === 'counted' ? (
            <>
              <Button disabled={busy} onClick={all.back}>{t('all.back')}</Button>
              <Button
                variant="primary"
                aria-disabled={fitting === 0 || busy || undefined}
                onClick={() => fitting > 0 && void all.start()}
              >
                {t('all.start', counts)}
              </Button>
            </>
          ) : (
            (step === 'running' || step === 'ended') && (
              <>
                {step === 'running' && change && (
                  <Button
                    aria-disabled={change.cancelRequested || undefined}
                    onClick={() => !change.cancelRequested && void cancel({ id: change.id })}
                  >
                    {t(change.cancelRequested ? 'all.cancelling' : 'all.cancel')}
                  </Button>
                )}
                <Button variant="primary" onClick={close}>
                  {t('common:close')}
                </Button>
              </>
            )
          )
        }
      >
        {step === 'asking' && (
          <Form form={form} onSubmit={all.count}>
            <FormSummary failure={all.failure} unanswered={t('all.notCounted')} />
            <FormFields>{children}</FormFields>
            <div className="flex flex-wrap gap-2">
              <Button type="submit" variant="primary" size={36} aria-disabled={busy || undefined}>
                {t(busy ? 'all.counting' : 'all.count')}
              </Button>
              <Button size={36} onClick={close}>
                {t('common:cancel')}
              </Button>
            </div>
          </Form>
        )}
        {step === 'counted' && change && (
          <div className="flex flex-col gap-3">
            <FormSummary failure={all.failure} onRetry={() => void all.start()} unanswered={t('all.unanswered')} />
            <Note
              tone={fitting > 0 ? 'info' : 'warn'}
              role="status"
              title={fitting > 0 ? t('all.fit', counts) : t('all.none')}
            >
              {fitting === 0 && t('all.noneText')}
            </Note>
            <LeftOut reasons={change.leftOut} />
          </div>
        )}
        {step === 'running' && change && <AllProgress change={change} title={title} lost={all.lost} />}
        {step === 'ended' && change && <AllReceipt change={change} />}
      </DialogContent>
    </Dialog>
  );
}

/** Progress of a bulk change of all matching deliveries. */
function AllProgress({ change, title, lost }: { change: BulkChange; title: string; lost: boolean }) {
  const { t } = useTranslation('deliveries-list');
  const { done, total } = change;
  return (
    <div className="flex flex-col gap-2">
      <ProgressBar label={title} value={total > 0 ? done / total : undefined} />
      <p role="status" className="text-sm text-muted tabular-nums">
        {t('all.progress', { done: formatCount(done), total: formatCount(total) })}
      </p>
      {lost ? <Note tone="warn">{t('all.lost')}</Note> : <p className="text-sm text-muted">{t('all.goesOn')}</p>}
    </div>
  );
}

/** Result of a bulk change of all matching deliveries. */
function AllReceipt({ change }: { change: BulkChange }) {
  const { t } = useTranslation('deliveries-list');
  const summary = useRef<HTMLDivElement>(null);
  // The button that had the focus was removed, so focus the summary.
  useEffect(() => summary.current?.focus(), []);
  const { state, changed, failed, leftOut, failureText } = change;
  const left = leftOut.reduce((sum, { count }) => sum + count, 0);
  const said = [
    t('all.changed', { count: changed, shown: formatCount(changed) }),
    left > 0 && t('all.leftOut', { count: left, shown: formatCount(left) }),
    failed > 0 && t('all.failed', { count: failed, shown: formatCount(failed) }),
  ];
  const isWhole = state === 'done' && failed === 0;
  const early = state === 'failed' ? t('all.state.failed') : state === 'cancelled' && t('all.state.cancelled');
  return (
    <div className="flex flex-col gap-3">
      <Note
        ref={summary}
        tone={isWhole ? 'ok' : 'warn'}
        role="status"
        title={[early, said.filter(Boolean).join(', ')].filter(Boolean).join(': ')}
      >
        {state === 'failed' && failureText}
        {state === 'cancelled' && t('all.stoppedText')}
      </Note>
      <LeftOut reasons={leftOut} />
    </div>
  );
}

const REASONS = [
  'already',
  'not_allowed',
  'not_pending',
  'not_undelivered',
  'attempts_used',
  'conflict',
  'same_time',
  'past',
  'driver_blocked',
  'changed',
  'gone',
] as const;

/** Counts of skipped deliveries by reason. */
function LeftOut({ reasons }: { reasons: BulkChange['leftOut'] }) {
  const { t } = useTranslation('deliveries-list');
  if (reasons.length === 0) return null;
  return (
    <div className="text-sm">
      <p className="font-medium">{t('all.left')}</p>
      <ul aria-label={t('all.left')} className="mt-1 divide-y divide-line rounded-control border border-line">
        {reasons.map(({ reason, count }) => (
          <li key={reason} className="flex gap-3 px-3 py-1.5">
            <span className="min-w-10 text-end font-medium tabular-nums">{formatCount(count)}</span>
            {/* A newer server may send reasons that this release does not know. */}
            <span className="text-muted">{t(`all.reasons.${REASONS.find((it) => it === reason) ?? 'other'}`)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const LOOK = 2_000;

interface ChangeDialogProps {
  id: string;
  /** Called on close with the change, after its result was shown. */
  onSeen: (change: BulkChange) => void;
  onClose: () => void;
}

/** Progress of a bulk change of all matching deliveries, or its result. */
export function ChangeDialog({ id, onSeen, onClose }: ChangeDialogProps) {
  const { t } = useTranslation(['deliveries-list', 'common']);
  const { value: change, error, status, retry, refresh } = useRecord({
    document: bulkChangeQuery,
    variables: { id },
    typenames: ['BulkChange'],
    read: ({ bulkChange }) => bulkChange,
  });
  const [, cancel] = useMutation(cancelBulkChangeMutation);
  const ended = change?.finishedAt ? change : undefined;
  usePolling(refresh, ended ? undefined : LOOK);
  const title = t(`all.strip.${verbOf(change?.verb ?? '')}`);
  const close = () => (ended ? onSeen(ended) : onClose());
  return (
    <Dialog open onOpenChange={close}>
      <DialogContent
        title={title}
        width={560}
        footer={
          <>
            {change && !ended && (
              <Button
                aria-disabled={change.cancelRequested || undefined}
                onClick={() => !change.cancelRequested && void cancel({ id })}
              >
                {t(change.cancelRequested ? 'all.cancelling' : 'all.cancel')}
              </Button>
            )}
            <Button variant="primary" onClick={close}>
              {t('common:close')}
            </Button>
          </>
        }
      >
        <QueryState value={change} error={error} status={status} onRetry={retry}>
          {(known) =>
            ended ? (
              <AllReceipt change={known} />
            ) : (
              <AllProgress change={known} title={title} lost={error !== undefined} />
            )
          }
        </QueryState>
      </DialogContent>
    </Dialog>
  );
}
