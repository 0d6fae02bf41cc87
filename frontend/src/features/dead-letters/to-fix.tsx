import { RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useTimeZone } from '@/data/use-time-zone';
import { decodeFilters, encodeFilters } from '@/list/filters-codec';
import type { BulkAction, BulkDialogProps, ListShown, WhereFilter } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { toWhere } from '@/list/to-where';
import { Button } from '@/ui/button';
import { Segmented } from '@/ui/tabs';
import { ByError } from './by-error';
import { failedResource, withoutGroup } from './dead-letter-list';
import { PausedNotes, useEndpoints } from './endpoints';
import { type JobAction, JobDialog, JobsPanel } from './jobs';
import type { FailedRow } from './queries';

type View = 'groups' | 'list';

/** Returns the view that the URL asks for. A link that has only filters leads to the list. */
export function viewOf(params: URLSearchParams): View {
  const view = params.get('view');
  if (view === 'list' || view === 'groups') return view;
  return params.has('filters') ? 'list' : 'groups';
}

interface ToFixProps {
  /** Called when a job has ended, and with it the number of messages has changed. */
  onJobEnd: () => void;
}

/** Messages to fix: grouped by error, or as a list. Both views share their filters. */
export function ToFix({ onJobEnd }: ToFixProps) {
  const { t } = useTranslation('dead-letters');
  const { value } = useEndpoints();
  const [params, setParams] = useSearchParams();
  const view = viewOf(params);

  function show(next: View) {
    // Leaving the list of one group leads back to all groups.
    const filters = withoutGroup(decodeFilters(params.get('filters')).filters);
    const hasFilters = filters.length > 0;
    const search = {
      ...((next === 'list' || hasFilters) && { view: next }),
      ...(hasFilters && { filters: encodeFilters(filters) }),
    };
    setParams(search, { preventScrollReset: true });
  }

  return (
    <>
      <PausedNotes endpoints={value?.outboundEndpoints ?? []} />
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
      {view === 'groups' ? <ByError onJobEnd={onJobEnd} /> : <OneByOne onJobEnd={onJobEnd} />}
    </>
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

function OneByOne({ onJobEnd }: ToFixProps) {
  return (
    <>
      <JobsPanel short onEnd={onJobEnd} />
      <ResourceList
        resource={failedResource}
        find={{ key: 'deliveryId', labelKey: 'dead-letters:fields.deliveryId' }}
        bulkActions={bulkActions}
        tools={ResendShown}
      />
    </>
  );
}

/** Resends all matching messages, including those on other pages. */
function ResendShown({ shown }: { shown: ListShown }) {
  const { t } = useTranslation('dead-letters');
  const timeZone = useTimeZone();
  // Converted when the user asks, because 'Today' may have become another day since the filter was set. Then kept, so
  // that what is counted is what is resent.
  const [where, setWhere] = useState<WhereFilter[]>();
  if (!shown.count || shown.count.total === 0) return null;
  return (
    <>
      <Button
        icon={RotateCw}
        onClick={() => setWhere(toWhere(shown.filters, timeZone, failedResource.filters))}
      >
        {t('resendAll')}
      </Button>
      {where && <JobDialog action="resend" chosen={{ where }} onClose={() => setWhere(undefined)} />}
    </>
  );
}
