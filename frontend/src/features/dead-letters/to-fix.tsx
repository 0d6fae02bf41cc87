import { RotateCw, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { useQuery } from 'urql';
import { normalizeError } from '@/data/errors';
import { CellLoading, QueryFailure } from '@/data/query-state';
import { usePolling } from '@/data/use-polling';
import { useTimeZone } from '@/data/use-time-zone';
import { formatCount } from '@/lib/numbers';
import { encodeFilters } from '@/list/filters-codec';
import type { BulkAction, BulkDialogProps, ListShown } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { toWhere } from '@/list/to-where';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Panel } from '@/ui/panel';
import { Segmented } from '@/ui/tabs';
import { StateView } from '@/ui/state-view';
import { StatusChip } from '@/ui/status-chip';
import { Count } from '@/ui/tag';
import { failedResource, letterState } from './dead-letter-list';
import { PausedNotes } from './endpoints';
import { type Chosen, type JobAction, JobDialog, JobsPanel } from './jobs';
import { type FailedRow, type Group, groupsQuery } from './queries';

const POLL_INTERVAL_MS = 15_000;
const groupsContext = { additionalTypenames: ['DeadLetter', 'DeadLetterGroup', 'Count'] };

type View = 'groups' | 'list';

/** What could not be sent: by what went wrong, or, with any filter, one by one. */
export function ToFix() {
  const { t } = useTranslation('dead-letters');
  const [params, setParams] = useSearchParams();
  const view: View = params.has('filters') || params.get('view') === 'list' ? 'list' : 'groups';

  function show(next: View) {
    setParams(next === 'list' ? { view: 'list' } : {}, { preventScrollReset: true });
  }

  return (
    <>
      <Segmented
        label={t('view.label')}
        className="self-start"
        segments={[
          { value: 'groups', label: t('view.groups') },
          { value: 'list', label: t('view.list') },
        ]}
        value={view}
        onChange={show}
      />
      {view === 'groups' ? <ByError /> : <OneByOne />}
    </>
  );
}

function ByError() {
  const { t } = useTranslation('dead-letters');
  const [{ data, error, fetching }, execute] = useQuery({
    query: groupsQuery,
    requestPolicy: 'cache-and-network',
    context: groupsContext,
  });
  const refresh = () => execute({ requestPolicy: 'network-only' });
  usePolling(refresh, POLL_INTERVAL_MS);
  const [asked, setAsked] = useState<{ action: JobAction; chosen: Chosen }>();
  const groups = data?.deadLetterGroups;

  function act(action: JobAction, { fingerprint, state }: Group) {
    const where = [
      { key: 'errorFingerprint', operator: 'equals' as const, values: [fingerprint] },
      { key: 'state', operator: 'equals' as const, values: [state] },
    ];
    setAsked({ action, chosen: { where } });
  }

  return (
    <div className="flex flex-col gap-4">
      <PausedNotes />
      <JobsPanel onEnd={refresh} />
      {groups && groups.length > 0 && <Groups groups={groups} onAct={act} />}
      {groups?.length === 0 && (
        <Panel>
          <StateView kind="empty" title={t('empty.title')} text={t('empty.text')} />
        </Panel>
      )}
      {!groups && !error && <CellLoading />}
      {!groups && error && (
        <Panel>
          <QueryFailure error={normalizeError(error)} isRetrying={fetching} onRetry={refresh} />
        </Panel>
      )}
      {asked && (
        <JobDialog {...asked} onStarted={refresh} onClose={() => setAsked(undefined)} />
      )}
    </div>
  );
}

function dialogFor(action: JobAction) {
  return function JobOfSelection({ ids, onSelect, onClose }: BulkDialogProps<FailedRow>) {
    return (
      <JobDialog action={action} chosen={{ ids }} onStarted={() => onSelect([])} onClose={onClose} />
    );
  };
}

const ResendSelection = dialogFor('resend');
const DiscardSelection = dialogFor('discard');

const bulkActions: readonly BulkAction<FailedRow>[] = [
  {
    id: 'resend',
    labelKey: 'dead-letters:job.verb.resend',
    icon: RotateCw,
    shortcut: 'r',
    fits: () => true,
    dialog: (props) => <ResendSelection {...props} />,
  },
  {
    id: 'discard',
    labelKey: 'dead-letters:job.verb.discard',
    icon: Trash2,
    shortcut: 'd',
    fits: () => true,
    dialog: (props) => <DiscardSelection {...props} />,
  },
];

function OneByOne() {
  return (
    <ResourceList
      resource={failedResource}
      find={{ key: 'deliveryId', labelKey: 'dead-letters:fields.deliveryId' }}
      bulkActions={bulkActions}
      tools={ResendShown}
    />
  );
}

/** Resends all that match, however many pages they are. */
function ResendShown({ shown }: { shown: ListShown }) {
  const { t } = useTranslation('dead-letters');
  const timeZone = useTimeZone();
  const [isAsked, setAsked] = useState(false);
  const where = useMemo(
    () => toWhere(shown.filters, timeZone, failedResource.filters),
    [shown.filters, timeZone],
  );
  if (!shown.count || shown.count.total === 0) return null;
  return (
    <>
      <Button icon={RotateCw} onClick={() => setAsked(true)}>
        {t('resendAll')}
      </Button>
      {isAsked && <JobDialog action="resend" chosen={{ where }} onClose={() => setAsked(false)} />}
    </>
  );
}

interface GroupsProps {
  groups: readonly Group[];
  onAct: (action: JobAction, group: Group) => void;
}

/** Longer texts would make the filter unusable, and nobody reads more of one in a chip. */
const LABEL_LENGTH = 200;

/** The list of the messages of one group. */
function addressOf({ fingerprint, errorText }: Group): string {
  const filter = {
    key: 'errorFingerprint',
    operator: 'equals' as const,
    values: [{ label: errorText.slice(0, LABEL_LENGTH), value: fingerprint }],
  };
  return `${routes.deadLetters()}?filters=${encodeURIComponent(encodeFilters([filter]))}`;
}

/** Messages to fix by what went wrong: how many, since when, and what can be done. */
function Groups({ groups, onAct }: GroupsProps) {
  const { t } = useTranslation('dead-letters');
  return (
    <ul className="flex flex-col gap-3" aria-label={t('groups.title')}>
      {groups.map((group) => {
        const { fingerprint, state, errorText, endpointName, endpointPaused, count } = group;
        return (
          <li key={`${fingerprint}-${state}`}>
            <Panel className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
              <div className="min-w-0 flex-1 basis-80">
                <div className="flex flex-wrap items-center gap-2">
                  <Link
                    to={addressOf(group)}
                    className="min-w-0 text-base font-semibold text-fg wrap-anywhere hover:underline"
                  >
                    {errorText}
                  </Link>
                  <Count>{formatCount(count)}</Count>
                </div>
                <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
                  <StatusChip kind="deadLetter" status={letterState(state)} />
                  {endpointName && <span>{t('groups.to', { name: endpointName })}</span>}
                  {endpointPaused && <span className="text-warn">{t('groups.paused')}</span>}
                  <span>
                    {t('groups.first')} <DateTime instant={group.firstSeenAt} show="ago" />
                  </span>
                  <span>
                    {t('groups.last')} <DateTime instant={group.lastSeenAt} show="ago" />
                  </span>
                  {group.nextAttemptAt && (
                    <span>
                      {t('groups.next')} <DateTime instant={group.nextAttemptAt} />
                    </span>
                  )}
                </p>
              </div>
              <div className="flex gap-2">
                <Button icon={RotateCw} onClick={() => onAct('resend', group)}>
                  {t('groups.resend', { shown: formatCount(count) })}
                </Button>
                <Button
                  variant="danger"
                  icon={Trash2}
                  aria-label={t('groups.discard', { error: errorText })}
                  onClick={() => onAct('discard', group)}
                >
                  {t('job.verb.discard')}
                </Button>
              </div>
            </Panel>
          </li>
        );
      })}
    </ul>
  );
}
