import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { useChanges } from '@/data/use-changes';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Panel, PanelHead } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { StatusChip } from '@/ui/status-chip';
import type { JobState } from '@/ui/statuses';
import { toast } from '@/ui/toast';
import { cancelJobMutation, type Job, jobsQuery, jobSubscription } from '../queries';

const STATES: readonly JobState[] = ['waiting', 'running', 'done', 'failed', 'cancelled'];

/** The state of a job; one of a newer server counts as running. */
function jobState(text: string): JobState {
  return STATES.find((state) => state === text) ?? 'running';
}

const SHOWN = 3;
const context = { additionalTypenames: ['DeadLetterJob'] };

/** What was started for many messages: how far it is, and afterwards what came of it. */
export function JobsPanel({ onEnd }: { onEnd: () => void }) {
  const { t } = useTranslation('dead-letters');
  const [{ data }, execute] = useQuery({
    query: jobsQuery,
    requestPolicy: 'cache-and-network',
    context,
  });
  const [isLong, setLong] = useState(false);
  const jobs = data?.deadLetterJobs ?? [];
  if (jobs.length === 0) return null;

  function refresh(ended: boolean) {
    execute({ requestPolicy: 'network-only' });
    if (ended) onEnd();
  }

  const shown = isLong ? jobs : jobs.slice(0, SHOWN);
  return (
    <Panel aria-labelledby="dead-letter-jobs">
      <PanelHead
        id="dead-letter-jobs"
        title={t('jobs.title')}
        note={t('jobs.note')}
        line
        tools={
          jobs.length > SHOWN && (
            <Button size={28} variant="ghost" onClick={() => setLong(!isLong)}>
              {t(isLong ? 'jobs.fewer' : 'jobs.more')}
            </Button>
          )
        }
      />
      <ul className="divide-y divide-line">
        {shown.map((job) => (
          <JobRow key={job.id} job={job} onChange={refresh} />
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
  const name = t(`jobs.${action === 'discard' ? 'discard' : 'resend'}`, { total: formatCount(total) });
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
      <span className="ml-auto flex items-center gap-3 text-xs text-muted">
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
