import { RotateCw, Trash2 } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { normalizeError } from '@/data/errors';
import { CellLoading, QueryFailure, StaleRecordNote } from '@/data/query-state';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { formatCount } from '@/lib/numbers';
import { FilterChips } from '@/list/filter-chip';
import { FilterMenu } from '@/list/filter-menu';
import { encodeFilters, type Filter } from '@/list/filters-codec';
import { toWhere } from '@/list/to-where';
import { useListState } from '@/list/use-list-state';
import { useCurrentMinute } from '@/list/use-current-minute';
import { routes } from '@/routing/routes';
import { useSearch } from '@/routing/use-search';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { StatusChip } from '@/ui/status-chip';
import { Count } from '@/ui/tag';
import {
  ENDPOINT_KEY,
  ERROR_KEY,
  failedResource,
  letterState,
  POLL_INTERVAL_MS,
  STATE_KEY,
  withoutGroup,
} from './dead-letter-list';
import { type Chosen, type JobAction, JobDialog, JobsPanel } from './jobs';
import { type Group, groupsQuery } from './queries';

/** Messages to fix, grouped by error. */
export function ByError({ onJobEnd }: { onJobEnd: () => void }) {
  const { t } = useTranslation('dead-letters');
  const timeZone = useTimeZone();
  const { state } = useListState(failedResource);
  const [, changeSearch] = useSearch();
  // The server joins filters on one key by OR, so an error in the URL would add its messages to every group.
  const filters = useMemo(() => withoutGroup(state.filters), [state.filters]);
  const now = useCurrentMinute(filters);
  const where = useMemo(
    () => toWhere(filters, timeZone, failedResource.filters, now),
    [filters, timeZone, now],
  );
  const { value, error, status, retry, refresh } = useRecord({
    document: groupsQuery,
    variables: { where },
    typenames: ['DeadLetter', 'DeadLetterGroup', 'Count'],
    read: (data) => data,
    pageOf: 'groups',
  });
  usePolling(refresh, POLL_INTERVAL_MS);
  const [asked, setAsked] = useState<{ action: JobAction; chosen: Chosen }>();
  const groups = value?.deadLetterGroups;

  function setFilters(next: Filter[]) {
    changeSearch(
      (latest) => {
        const search = new URLSearchParams(latest);
        search.delete('filters');
        search.delete('view');
        if (next.length > 0) {
          search.set('view', 'groups');
          search.set('filters', encodeFilters(next));
        }
        return search;
      },
      { preventScrollReset: true },
    );
  }

  function act(action: JobAction, group: Group) {
    setAsked({ action, chosen: { where: [...where, ...toWhere(filtersOf(group), timeZone)] } });
  }

  return (
    <div className="flex flex-col gap-4">
      <JobsPanel
        onEnd={() => {
          refresh();
          onJobEnd();
        }}
      />
      <GroupFilters filters={filters} timeZone={timeZone} onChange={setFilters} />
      {groups && error && <StaleRecordNote onRetry={retry} />}
      {groups && value?.deadLetterGroupsCount.exact === false && (
        <Note>{t('groups.more', { shown: formatCount(groups.length) })}</Note>
      )}
      {groups && groups.length > 0 && <Groups groups={groups} filters={filters} onAct={act} />}
      {groups?.length === 0 && (
        <Panel>
          {filters.length > 0 ? (
            <StateView kind="empty" title={t('noMatch')} text={t('groups.noMatch')} />
          ) : (
            <StateView kind="empty" title={t('empty.title')} text={t('empty.text')} />
          )}
        </Panel>
      )}
      {!groups && !error && <CellLoading />}
      {!groups && error && (
        <Panel>
          <QueryFailure error={normalizeError(error)} isRetrying={status === 'refetch'} onRetry={retry} />
        </Panel>
      )}
      {asked && (
        <JobDialog {...asked} onStarted={refresh} onClose={() => setAsked(undefined)} />
      )}
    </div>
  );
}

interface GroupFiltersProps {
  filters: Filter[];
  timeZone: string;
  onChange: (filters: Filter[]) => void;
}

/** Filters for the groups, with the same fields as those of the list. */
function GroupFilters({ filters, timeZone, onChange }: GroupFiltersProps) {
  const { t } = useTranslation('list');
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const fields = failedResource.filters;

  return (
    <div className="flex flex-wrap items-center gap-2">
      <FilterMenu
        {...{ fields, filters, timeZone, button, onChange }}
        open={isOpen}
        onOpenChange={setOpen}
      />
      {filters.length > 0 && (
        <>
          <FilterChips
            {...{ fields, filters, timeZone, button }}
            label={t('activeFilters')}
            className="contents max-md:hidden"
            onChange={onChange}
          />
          <Button
            variant="quiet"
            onClick={() => {
              onChange([]);
              button.current?.focus();
            }}
          >
            {t('clear')}
          </Button>
        </>
      )}
    </div>
  );
}

interface GroupsProps {
  groups: readonly Group[];
  filters: readonly Filter[];
  onAct: (action: JobAction, group: Group) => void;
}

/** Maximum length of the error in the label of its filter. A chip would truncate a longer one anyway. */
const LABEL_LENGTH = 200;

/** The filters of the list that select the messages of one group. */
function filtersOf({ fingerprint, state, errorText, endpointId, endpointName }: Group): Filter[] {
  const equals = (key: string, value: string, label: string) => ({
    key,
    operator: 'equals' as const,
    values: [{ label, value }],
  });
  return [
    equals(ERROR_KEY, fingerprint, errorText.slice(0, LABEL_LENGTH)),
    ...(endpointId ? [equals(ENDPOINT_KEY, endpointId, endpointName ?? endpointId)] : []),
    equals(STATE_KEY, state, state),
  ];
}

/** The address of the list with the messages of one group. */
function addressOf(group: Group, filters: readonly Filter[]): string {
  const all = [...filters, ...filtersOf(group)];
  return `${routes.deadLetters()}?filters=${encodeURIComponent(encodeFilters(all))}`;
}

/** Messages to fix grouped by error, with count, age and actions. */
function Groups({ groups, filters, onAct }: GroupsProps) {
  const { t } = useTranslation('dead-letters');
  return (
    <ul className="flex flex-col gap-3" aria-label={t('groups.title')}>
      {groups.map((group) => {
        const { fingerprint, state, errorText, endpointName, endpointOff, endpointPaused, count } = group;
        return (
          <li key={`${fingerprint}-${state}-${group.endpointId}`}>
            <Panel className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
              <div className="min-w-0 flex-1 basis-80">
                <div className="flex flex-wrap items-center gap-2">
                  <Link
                    to={addressOf(group, filters)}
                    className="min-w-0 text-base font-semibold text-fg wrap-anywhere hover:underline"
                  >
                    {errorText}
                  </Link>
                  <Count>{formatCount(count)}</Count>
                </div>
                <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
                  <StatusChip kind="deadLetter" status={letterState(state)} />
                  {endpointName && <span>{t('groups.to', { name: endpointName })}</span>}
                  {endpointOff && <span className="text-warn">{t('groups.off')}</span>}
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
