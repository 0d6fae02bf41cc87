import { useRecord } from '@/data/use-record';
import { useRecordName } from '@/navigation/record-name';
import { announcementQuery } from './queries';

export function useAnnouncement(id: string) {
  const result = useRecord({
    document: announcementQuery,
    variables: { id },
    typenames: ['Announcement'],
    read: ({ announcement }) => announcement,
  });
  useRecordName(result.value?.title);
  return result;
}
