import { useRecord } from '@/data/use-record';
import { type ReportSetting, reportMembersQuery } from './queries';

/** What a report of this kind may be made of. */
export function useReportMembers(reportKey: ReportSetting['reportKey']) {
  return useRecord({
    document: reportMembersQuery,
    variables: { reportKey },
    typenames: ['ReportMember'],
    read: ({ reportMembers }) => reportMembers,
  });
}
