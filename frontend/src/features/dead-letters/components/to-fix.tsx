import { RotateCw, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useQuery } from 'urql';
import { normalizeError } from '@/data/errors';
import { CellLoading } from '@/data/query-state';
import { QueryFailure } from '@/data/query-failure';
import { usePolling } from '@/data/use-polling';
import { useTimeZone } from '@/data/use-time-zone';
import type { BulkAction, BulkDialogProps, ListShown } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { toWhere } from '@/list/to-where';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { Segmented } from '@/ui/segmented';
import { StateView } from '@/ui/state-view';
import { groupsQuery, type FailedRow, type Group } from '../queries';
import { failedResource } from '../resource';
import type { Chosen, JobAction } from '../use-start-job';
import { Groups } from './groups';
import { JobDialog } from './job-dialog';
import { JobsPanel } from './jobs-panel';
import { PausedNotes } from './paused-notes';

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
