import { useRecord } from '@/data/use-record';
import { useRecordName } from '@/navigation/record-name';
import { reportSettingQuery } from './queries';

export function useReportSetting(id: string) {
  const result = useRecord({
    document: reportSettingQuery,
    variables: { id },
    typenames: ['ReportSetting'],
    read: ({ reportSetting }) => reportSetting,
  });
  useRecordName(result.value?.name);
  return result;
}
