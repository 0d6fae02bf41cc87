import { useCallback, useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { DISPATCH, daysOf, memberOfField } from '@/domain/analytics/delivery-filters';
import { memberLookup } from '@/domain/analytics/lookups';
import { useAuth } from '@/auth/use-auth';
import { useRecord } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { useAnalytics } from '@/domain/analytics/use-analytics';
import { encodeFilters, type Filter } from '@/list/filters-codec';
import { readListState } from '@/list/list-state';
import { useCurrentMinute } from '@/list/use-current-minute';
import { useSearch } from '@/routing/use-search';
import { toast } from '@/ui/toast';
import {
  changed,
  DEFAULT_FILTERS,
  definitionOf,
  filtersOf,
  FIRST_REPORT,
  firstMeasure,
  reportFields,
  reportQuery,
  withRange,
} from './definition';
import { reportMembersQuery, type SavedReport } from './queries';

/** Polling interval, so that a report that stays open all day does not show the figures of the morning. */
const REREAD_MS = 5 * 60_000;

/** Loads the report in the address, with its members and rows. */
export function useReport(saved: SavedReport | undefined) {
  const { t } = useTranslation('list');
  const { getToken } = useAuth();
  const timeZone = useTimeZone();
  const [params, changeSearch] = useSearch();
  const reportKey = saved?.reportKey ?? FIRST_REPORT.reportKey;
  const members = useRecord({
    document: reportMembersQuery,
    variables: { reportKey },
    typenames: ['ReportMember'],
    read: ({ reportMembers }) => reportMembers,
  });

  const filterText = params.get('filters');
  // These fields are only for reading the filters, so their lookups need no date range.
  const state = useMemo(() => {
    const shape = { filters: reportFields((member) => memberLookup(member, { getToken, timezone: timeZone })), columns: [], defaultSort: [] };
    return readListState(new URLSearchParams(filterText === null ? {} : { filters: filterText }), shape);
  }, [filterText, getToken, timeZone]);
  const filters = useMemo(
    () => withRange(filterText === null ? (saved ? filtersOf(saved) : DEFAULT_FILTERS) : state.state.filters),
    [filterText, saved, state],
  );
  const now = useCurrentMinute(filters);
  const { from, to } = daysOf(filters, timeZone, now);
  const range = useMemo(() => ({ from, to }), [from, to]);
  const fields = useMemo(() => {
    const within = { dimension: DISPATCH, dateRange: [range.from, range.to] as [string, string] };
    return reportFields((member) => memberLookup(member, { getToken, range: within, timezone: timeZone }));
  }, [getToken, timeZone, range]);

  const isReady = members.value !== undefined;
  const report = useMemo(() => {
    const base = saved ? definitionOf(saved, members.value ?? []) : FIRST_REPORT;
    return changed(base, params, members.value ?? []);
  }, [saved, members.value, params]);
  const queries = useMemo(
    () => (isReady ? [reportQuery(report, filters, range, timeZone)] : undefined),
    [isReady, report, filters, range, timeZone],
  );
  const rows = useAnalytics(queries, { every: REREAD_MS });

  /** Changes one URL parameter; null restores the report's own value. */
  const change = useCallback(
    (name: 'by' | 'split' | 'measure', value: string | null) =>
      changeSearch(
        (search) => {
          if (value === null) search.delete(name);
          else search.set(name, value);
          return search;
        },
        { preventScrollReset: true },
      ),
    [changeSearch],
  );
  const setFilters = useCallback(
    (next: readonly Filter[], replace = false) =>
      changeSearch(
        (search) => {
          search.set('filters', encodeFilters(withRange(next)));
          return search;
        },
        { replace, preventScrollReset: true },
      ),
    [changeSearch],
  );
  const dropped = state.dropped || filters.length < state.state.filters.length;
  useEffect(() => {
    if (!dropped) return;
    toast.error(t('droppedFilters'), { id: 'list-dropped' });
    setFilters(filters, true);
  }, [dropped, filters, setFilters, t]);
  const open = useCallback(
    (next: string | undefined) =>
      changeSearch(() => new URLSearchParams(next === undefined ? {} : { setting: next })),
    [changeSearch],
  );

  return {
    saved,
    report,
    /** The report to save. Undefined until the members are loaded, because `report` lacks its measures until then. */
    definition: isReady ? report : undefined,
    members: members.value ?? [],
    /** Without the members, the query cannot be built. */
    failure: isReady ? undefined : members.error,
    reread: members.retry,
    fields,
    filters,
    range,
    timeZone,
    rows,
    query: queries?.[0],
    measure: report.measures.find((member) => member === params.get('measure')) ?? firstMeasure(report),
    memberOf: memberOfField,
    change,
    setFilters,
    open,
  };
}

export type Report = ReturnType<typeof useReport>;
