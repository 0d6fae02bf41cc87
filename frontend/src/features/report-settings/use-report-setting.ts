import { useRecord } from '@/data/use-record';
import { reportSettingQuery } from './queries';

export function useReportSetting(id: string) {
  return useRecord({
    document: reportSettingQuery,
    variables: { id },
    typenames: ['ReportSetting'],
    read: ({ reportSetting }) => reportSetting,
  });
}
