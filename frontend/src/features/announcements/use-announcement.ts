import { useRecord } from '@/data/use-record';
import { announcementQuery } from './queries';

export function useAnnouncement(id: string) {
  return useRecord({
    document: announcementQuery,
    variables: { id },
    typenames: ['Announcement'],
    read: ({ announcement }) => announcement,
  });
}
