import { vi } from 'vitest';
import type { AnalyticsQuery } from '@/domain/analytics/query';
import { analyticsPaths, dayRow } from './analytics';
import { rosa, startFakeServer } from './fake-server';

const NOW = new Date('2026-11-20T07:04:00Z');
export const TIME = 'Delivery.scheduledatetime';

export const reportPageMembers = [
  ['Delivery.id', 'Delivery Doc', 'dimension'],
  ['Delivery.deliverystatus', 'Delivery Status', 'dimension'],
  ['Delivery.trucker', 'Trucker', 'dimension'],
  ['Delivery.outcomeReason', 'Outcome Reason', 'dimension'],
  ['Variance.reason', 'Reason', 'dimension'],
  [TIME, 'Dispatch Date and Time', 'time'],
  ['Delivery.count', 'Deliveries', 'measure'],
  ['Delivery.pendingCount', 'Pending', 'measure'],
  ['Delivery.onTimeRate', 'On time', 'measure'],
  ['Shipment.count', 'Shipments', 'measure'],
].map(([member, title, kind]) => ({ __typename: 'ReportMember', member, title, kind }));

const reasons = [
  ['other', 'variance', 'Other, an item'],
  ['other', 'undelivered', 'Other, not attempted'],
  ['other', 'rejected', 'Other, refused'],
].map(([code, appliesTo, label], order) => ({ __typename: 'Reason', code, appliesTo, label, order }));

interface Answers {
  rows: Record<string, string | null>[] | Response;
  saved: Record<string, unknown> | null;
  /** Names of the saved reports. */
  names: string[];
  /** Whether the members of reports cannot be read. */
  isMembersDown: boolean;
  /** Whether the answer to the creation of a report is lost. */
  isCreationLost: boolean;
  /** Delays the answer to the creation of a report. */
  creating?: Promise<void>;
}

/** Starts the services behind the report page, at a fixed time. */
export function startReportPage() {
  vi.useFakeTimers({ now: NOW, shouldAdvanceTime: true, toFake: ['Date'] });
  const answers: Answers = {
    rows: [dayRow('2026-11-16', 'Rejected', 10), dayRow('2026-11-16', 'Pending', 5), dayRow('2026-11-20', 'Pending', 140)],
    saved: null,
    names: ['By carrier'],
    isMembersDown: false,
    isCreationLost: false,
  };
  const { asked, paths } = analyticsPaths(({ dimensions = [] }) => {
    if (dimensions[0] === 'CustomerReport.customername') return [{ 'CustomerReport.customername': 'Bayan Mart Makati' }];
    return answers.rows instanceof Response ? answers.rows.clone() : answers.rows;
  });
  /** A page of saved reports, as the server returns it. */
  function offered(page: unknown) {
    const { limit, offset } = page as { limit: number; offset: number };
    return answers.names
      .slice(offset, offset + limit)
      .map((name) => ({ __typename: 'ReportSetting', id: `r-${name}`, name }));
  }
  const server = startFakeServer({
    user: rosa,
    paths,
    operations: {
      ReportPageMembers: () =>
        answers.isMembersDown
          ? { errors: [{ message: 'Too busy', extensions: { code: 'UNAVAILABLE' } }] }
          : { data: { reportMembers: reportPageMembers } },
      ReasonsLookup: () => ({ data: { reasons } }),
      SavedReports: ({ first, second }) => ({ data: { first: offered(first), second: offered(second) } }),
      SavedReport: () => ({ data: { reportSetting: answers.saved } }),
      SaveNewReport: async () => {
        await answers.creating;
        if (answers.isCreationLost) throw new TypeError('lost');
        return { data: { createReportSetting: { __typename: 'ReportSetting', id: 'r1', name: 'Mine' } } };
      },
      SaveReport: () => ({ data: { updateReportSetting: { __typename: 'ReportSetting', id: 'r1', version: 4 } } }),
    },
  });
  return {
    answers,
    asked,
    signOut: server.signOut,
    /** The last query for figures. */
    last: (): AnalyticsQuery | undefined => asked.findLast(({ measures }) => measures !== undefined),
    sent: (name: string) => server.calls.filter((call) => call.name === name).map(({ variables }) => variables),
  };
}
