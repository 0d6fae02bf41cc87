import { useEffect, useEffectEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { useChanges } from '@/data/use-changes';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { useEventId } from '@/form/use-save';
import { formatCount } from '@/lib/numbers';
import type { WhereFilter } from '@/list/resource';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Dialog, DialogContent } from '@/ui/dialog';
import { DialogForm } from '@/ui/dialog-form';
import { Field } from '@/ui/field';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { type JobState, StatusChip } from '@/ui/status-chip';
import { Textarea } from '@/ui/input';
import { toast } from '@/ui/toast';
import {
  cancelJobMutation,
  discardManyMutation,
  type Job,
  jobsQuery,
  jobSubscription,
  resendManyMutation,
} from './queries';

/** The selected messages; without ids, all open messages that match the filter. */
export interface Chosen {
  ids?: readonly string[];
  where?: WhereFilter[];
}

export type JobAction = 'resend' | 'discard';

const startContext = { additionalTypenames: ['DeadLetter', 'DeadLetterGroup', 'DeadLetterJob', 'Count'] };
/** The server requires a reason for discarding, even in a dry run. */
const DRY_REASON = 'dry run';

/** Counts what a job would change, then starts it. Sending the same request again does not start a second job. */
function useStartJob(action: JobAction, { ids, where }: Chosen) {
  const [, resend] = useMutation(resendManyMutation);
  const [, discard] = useMutation(discardManyMutation);
  const jobId = useEventId();
  const [total, setTotal] = useState<number>();
  const [failure, setFailure] = useState<string>();

  async function run(dryRun: boolean, reason: string): Promise<{ total: number } | undefined> {
    setFailure(undefined);
    const content = { ids: ids ? [...ids] : [], where: where ?? [], dryRun };
    const input = { jobId: jobId([content, reason]), ...content };
    const context = dryRun ? {} : startContext;
    const isResend = action === 'resend';
    const { data, error } = await (isResend ? resend({ input }, context) : discard({ input, reason }, context));
    if (!data) setFailure(errorText(normalizeError(error)));
    return data && ('resendDeadLetters' in data ? data.resendDeadLetters : data.discardDeadLetters);
  }

  async function count() {
    const counted = await run(true, DRY_REASON);
    if (counted) setTotal(counted.total);
  }
  const countFirst = useEffectEvent(count);
  useEffect(() => {
    void countFirst();
  }, []);

  return { total, failure, count, start: (reason: string) => run(false, reason) };
}

const STATES: readonly JobState[] = ['waiting', 'running', 'done', 'failed', 'cancelled'];

/** Parses the state of a job. States of a newer server count as running. */
function jobState(text: string): JobState {
  return STATES.find((state) => state === text) ?? 'running';
}

const SHOWN = 3;
const SHOWN_SHORT = 1;
const RETRY_MS = 5_000;

interface JobsPanelProps {
  onEnd: () => void;
  /** Shows only the newest job, where the list below needs the space. */
  short?: boolean;
}

/** Bulk jobs with their progress and, once finished, their result. */
export function JobsPanel({ onEnd, short = false }: JobsPanelProps) {
  const { t } = useTranslation('dead-letters');
  const { value: jobs, error, refresh } = useRecord({
    document: jobsQuery,
    variables: {},
    typenames: ['DeadLetterJob'],
    read: ({ deadLetterJobs }) => deadLetterJobs,
  });
  // A failed read may have missed the last change of a job, so read again.
  usePolling(refresh, error ? RETRY_MS : undefined);
  const [isLong, setLong] = useState(false);
  if (!jobs || jobs.length === 0) return null;

  function onChange(ended: boolean) {
    refresh();
    if (ended) onEnd();
  }

  const few = short ? SHOWN_SHORT : SHOWN;
  const shown = isLong ? jobs : jobs.slice(0, few);
  return (
    <Panel
      aria-labelledby="dead-letter-jobs"
      className={short ? 'max-h-72 shrink-0 overflow-y-auto' : undefined}
    >
      <PanelHead
        id="dead-letter-jobs"
        title={t('jobs.title')}
        note={t('jobs.note')}
        line
        tools={
          jobs.length > few && (
            <Button size={28} variant="ghost" onClick={() => setLong(!isLong)}>
              {t(isLong ? 'jobs.fewer' : 'jobs.more')}
            </Button>
          )
        }
      />
      <ul className="divide-y divide-line">
        {shown.map((job) => (
          <JobRow key={job.id} job={job} onChange={onChange} />
        ))}
      </ul>
    </Panel>
  );
}

function JobRow({ job, onChange }: { job: Job; onChange: (ended: boolean) => void }) {
  const { t } = useTranslation('dead-letters');
  const [, cancel] = useMutation(cancelJobMutation);
  const { id, action, state, total, done, changed, reason, failureText, cancelRequested } = job;
  const isOver = job.finishedAt !== null;
  useChanges(
    isOver ? undefined : jobSubscription,
    { id },
    (told) => {
      const next = told?.deadLetterJobChanged.state;
      onChange(next !== undefined && next !== 'running' && next !== 'waiting');
    },
  );

  async function stop() {
    const { error } = await cancel({ id });
    if (error) toast.error(errorText(normalizeError(error)));
    onChange(false);
  }

  const numbers = { changed: formatCount(changed), total: formatCount(total), count: changed };
  const name = t(`jobs.${action === 'discard' ? 'discard' : 'resend'}`, { count: total, total: formatCount(total) });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5 text-sm">
      <StatusChip kind="job" status={jobState(state)} />
      <span className="font-medium">{name}</span>
      <span className="text-muted tabular-nums">
        {t(isOver ? `jobs.receipt.${action === 'discard' ? 'discard' : 'resend'}` : 'jobs.progress', {
          ...numbers,
          done: formatCount(done),
        })}
      </span>
      {reason && <span className="text-muted">{t('jobs.because', { reason })}</span>}
      {failureText && state === 'failed' && <span className="text-bad">{failureText}</span>}
      <span className="ms-auto flex items-center gap-3 text-xs text-muted">
        {t('jobs.by', { by: job.createdBy })}
        <DateTime instant={job.createdAt} />
        {!isOver && (
          <Button
            size={28}
            aria-disabled={cancelRequested || undefined}
            onClick={() => !cancelRequested && void stop()}
          >
            {t(cancelRequested ? 'jobs.cancelling' : 'jobs.cancel')}
          </Button>
        )}
      </span>
      {!isOver && (
        <ProgressBar
          label={name}
          value={total > 0 ? done / total : undefined}
          className="basis-full"
        />
      )}
    </li>
  );
}

interface JobDialogProps {
  action: JobAction;
  chosen: Chosen;
  onStarted?: () => void;
  onClose: () => void;
}

/** Shows the number of messages, then resends or discards them in the background. */
export function JobDialog({ action, chosen, onStarted, onClose }: JobDialogProps) {
  const { t } = useTranslation(['dead-letters', 'common']);
  const { total, failure, count, start } = useStartJob(action, chosen);
  const form = useId();
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const [isBusy, setBusy] = useState(false);

  async function submit() {
    if (total === undefined) {
      await count();
      return;
    }
    if (action === 'discard' && reason.trim() === '') {
      setMissing(true);
      return;
    }
    setBusy(true);
    const started = await start(reason);
    setBusy(false);
    if (!started) return;
    toast.success(t(`job.started.${action}`));
    onStarted?.();
    onClose();
  }

  const known = total !== undefined;
  const isCountLost = !known && failure !== undefined;
  const verb = total ? t(`job.confirm.${action}`, { shown: formatCount(total) }) : t(`job.verb.${action}`);
  return (
    <Dialog open onOpenChange={() => !isBusy && onClose()}>
      <DialogContent
        title={t(`job.title.${action}`)}
        description={
          known
            ? t(`job.text.${action}`, { count: total, shown: formatCount(total) })
            : failure === undefined && t('job.counting')
        }
        width={560}
        staysOpen
        footer={
          <>
            <Button disabled={isBusy} onClick={onClose}>
              {t('cancel', { ns: 'common' })}
            </Button>
            <Button
              type="submit"
              form={form}
              variant={action === 'discard' && !isCountLost ? 'danger' : 'primary'}
              disabled={isBusy || (!total && !isCountLost)}
            >
              {isCountLost ? t('retry', { ns: 'common' }) : verb}
            </Button>
          </>
        }
      >
        <DialogForm id={form} onSubmit={submit}>
          {failure !== undefined && (
            <Note tone="bad" role="alert">
              {failure}
            </Note>
          )}
          {action === 'discard' && (
            <Field
              label={t('fields.reason')}
              hint={t('job.reasonHint')}
              error={isMissing ? t('job.reasonMissing') : undefined}
              required
            >
              <Textarea
                value={reason}
                onChange={({ target }) => {
                  setReason(target.value);
                  setMissing(false);
                }}
              />
            </Field>
          )}
        </DialogForm>
      </DialogContent>
    </Dialog>
  );
}
