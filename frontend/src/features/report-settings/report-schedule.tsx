import { CalendarClock, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { QueryState } from '@/data/query-state';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { useEventId } from '@/form/use-save';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { ConfirmDialog } from '@/ui/dialog';
import { Note } from '@/ui/note';
import { Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';
import { StateView } from '@/ui/state-view';
import { toast } from '@/ui/toast';
import {
  deleteReportScheduleMutation,
  pauseReportScheduleMutation,
  type ReportSchedule,
  reportScheduleQuery,
  type ReportSetting,
  sendReportMutation,
} from './queries';
import { ReportScheduleDialog } from './report-schedule-dialog';

/** How often the state is read while a report is being sent, in milliseconds. */
const WHILE_SENDING = 3_000;

// The response to a deletion names no type.
const context = { additionalTypenames: ['ReportSchedule'] };

interface ReportScheduleSectionProps {
  /** The report setting. */
  id: string;
  name: string;
  /** The format of the report setting, with which a new schedule starts. */
  format: ReportSetting['format'];
  /** Whether the report is on. If it is off, its schedule sends nothing. */
  isActive: boolean;
}

/** Shows and changes by which schedule a report is sent by mail, and what became of it. */
export function ReportScheduleSection({ id, name, format, isActive }: ReportScheduleSectionProps) {
  const { t } = useTranslation('report-settings');
  const titleId = useId();
  const [isOpen, setOpen] = useState(false);
  const result = useRecord({
    document: reportScheduleQuery,
    variables: { id },
    typenames: ['ReportSchedule'],
    read: ({ reportSchedule, sendsMail }) => ({ schedule: reportSchedule, sendsMail }),
  });
  usePolling(result.refresh, result.value?.schedule?.isSending ? WHILE_SENDING : undefined);

  return (
    <Panel aria-labelledby={titleId} className="mt-4 max-w-[720px]">
      <PanelHead id={titleId} title={t('schedule.title')} />
      <div className="flex flex-col gap-3 px-4 pt-1 pb-4">
        <QueryState
          value={result.value}
          error={result.error}
          status={result.status}
          onRetry={result.retry}
          loading={
            <div role="status" aria-label={t('schedule.loading')}>
              <Skeleton className="h-24" />
            </div>
          }
        >
          {({ schedule, sendsMail }) => (
            <>
              {!sendsMail && <Note title={t('schedule.mailOff.title')}>{t('schedule.mailOff.text')}</Note>}
              {schedule ? (
                <Schedule {...{ id, name, isActive, schedule, sendsMail }} onEdit={() => setOpen(true)} />
              ) : (
                sendsMail && <NoSchedule onCreate={() => setOpen(true)} />
              )}
              {isOpen && <ReportScheduleDialog {...{ id, name, format, schedule }} onClose={() => setOpen(false)} />}
            </>
          )}
        </QueryState>
      </div>
    </Panel>
  );
}

function NoSchedule({ onCreate }: { onCreate: () => void }) {
  const { t } = useTranslation('report-settings');
  return (
    <StateView
      kind="empty"
      title={t('schedule.empty.title')}
      text={t('schedule.empty.text')}
      actions={
        <Button variant="primary" size={36} icon={CalendarClock} onClick={onCreate}>
          {t('schedule.create')}
        </Button>
      }
    />
  );
}

interface ScheduleProps extends Pick<ReportScheduleSectionProps, 'id' | 'name' | 'isActive'> {
  schedule: ReportSchedule;
  sendsMail: boolean;
  onEdit: () => void;
}

function Schedule({ id, name, isActive, schedule, sendsMail, onEdit }: ScheduleProps) {
  const { t } = useTranslation('report-settings');
  const { isPaused, isSending, pausedReason, version } = schedule;
  const [isDeleting, setDeleting] = useState(false);
  const [{ fetching: isRequesting }, send] = useMutation(sendReportMutation);
  const [{ fetching: isPausing }, pause] = useMutation(pauseReportScheduleMutation);
  const [, remove] = useMutation(deleteReportScheduleMutation);
  const requestId = useEventId();

  async function sendNow() {
    if (isSending || isRequesting) return;
    // After a failure, the same request is repeated; once it was sent, another one is made.
    const input = { reportSettingId: id, requestId: requestId([schedule.sentAt, schedule.failedAt]) };
    const { data, error } = await send({ input });
    if (data) toast.success(t('schedule.requested', { name }));
    else toast.error(errorText(normalizeError(error)));
  }

  async function toggle() {
    if (isPausing) return;
    const { data, error } = await pause({ input: { reportSettingId: id, version, paused: !isPaused } });
    if (data) toast.success(t(isPaused ? 'schedule.resumed' : 'schedule.paused', { name }));
    else toast.error(errorText(normalizeError(error)));
  }

  async function drop(): Promise<string | undefined> {
    const { error } = await remove({ input: { reportSettingId: id, version } }, context);
    if (error) return errorText(normalizeError(error));
    toast.success(t('schedule.delete.done', { name }));
    return undefined;
  }

  return (
    <>
      {isPaused && (
        <Note tone="warn" title={t('schedule.pausedTitle')}>
          {pausedReason ?? t('schedule.pausedText')}
        </Note>
      )}
      {!isActive && (
        <Note tone="warn" title={t('schedule.offTitle')}>
          {sendsMail && t('schedule.offText')}
        </Note>
      )}
      <ScheduleFacts schedule={schedule} isActive={isActive} />
      <div className="flex flex-wrap gap-2">
        {sendsMail && (
          <>
            <Button icon={Send} aria-disabled={isSending || isRequesting} onClick={() => void sendNow()}>
              {t(isSending || isRequesting ? 'schedule.sending' : 'schedule.sendNow')}
            </Button>
            <Button icon={Pencil} onClick={onEdit}>
              {t('schedule.edit')}
            </Button>
          </>
        )}
        {(sendsMail || !isPaused) && (
          <Button icon={isPaused ? Play : Pause} aria-disabled={isPausing} onClick={() => void toggle()}>
            {t(isPaused ? 'schedule.resume' : 'schedule.pause')}
          </Button>
        )}
        <Button variant="danger" icon={Trash2} onClick={() => setDeleting(true)}>
          {t('schedule.delete.verb')}
        </Button>
      </div>
      {isDeleting && (
        <ConfirmDialog
          danger
          title={t('schedule.delete.question', { name })}
          text={t('schedule.delete.text')}
          confirm={t('schedule.delete.verb')}
          busy={t('schedule.delete.busy')}
          onConfirm={drop}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

/** When, to whom, and what became of the last emails. */
function ScheduleFacts({ schedule, isActive }: Pick<ScheduleProps, 'schedule' | 'isActive'>) {
  const { t } = useTranslation('report-settings');
  const { cadence, weekday, monthDay, time, timeZone, recipients, format, owner } = schedule;
  const { nextAt, sentAt, sentCount, skipped, failedAt, failure } = schedule;
  const when = t(`schedule.when.${cadence}`, {
    time,
    timeZone,
    day: monthDay,
    weekday: weekday && t(`schedule.weekdays.${weekday}`),
  });
  const never = t('schedule.never');
  const last = sentAt && (
    <>
      <DateTime instant={sentAt} /> <span>{t('schedule.sentTo', { count: sentCount })}</span>
      {skipped && <p className="text-warn">{t('schedule.skipped', { names: skipped })}</p>}
    </>
  );
  const lastFailure = failedAt && (
    <>
      <DateTime instant={failedAt} />
      <p>{failure}</p>
    </>
  );
  return (
    <Facts columns={2}>
      <Fact label={t('schedule.facts.days')} value={when} />
      <Fact label={t('schedule.facts.recipients')} value={recipients.join(', ')} />
      <Fact label={t('schedule.facts.format')} value={t(`formats.${format}`)} />
      <Fact label={t('schedule.facts.owner')} value={owner} />
      <Fact
        label={t('schedule.facts.next')}
        value={isActive && nextAt ? <DateTime instant={nextAt} /> : undefined}
        empty={t(isActive ? 'schedule.noneWhilePaused' : 'schedule.noneWhileOff')}
      />
      <Fact label={t('schedule.facts.last')} value={last} empty={never} />
      {lastFailure && <Fact wide label={t('schedule.facts.failure')} value={lastFailure} />}
    </Facts>
  );
}
