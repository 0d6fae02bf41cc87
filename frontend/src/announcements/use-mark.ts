import { useCallback } from 'react';
import { useClient } from 'urql';
import { markAnnouncementsMutation, myAnnouncementsQuery } from './queries';

/**
 * Tells that announcements were seen. Nobody is told when that fails: they only stay unread, and
 * show once more.
 */
export function useMarkSeen() {
  const client = useClient();
  return useCallback(
    async (ids: string[]) => {
      if (ids.length === 0) return;
      await client
        .mutation(markAnnouncementsMutation, { input: { ids, dismiss: false } })
        .toPromise();
    },
    [client],
  );
}

/** Dismisses the announcements that news came from, so that they stay away on the next visit. */
export function useDismissNews() {
  const client = useClient();
  return useCallback(
    async (news: readonly string[]) => {
      const { data } = await client
        .query(myAnnouncementsQuery, {}, { requestPolicy: 'network-only' })
        .toPromise();
      const ids = (data?.myAnnouncements ?? [])
        .filter(({ message, dismissed }) => !dismissed && news.includes(message))
        .map(({ id }) => id);
      if (ids.length === 0) return;
      await client
        .mutation(markAnnouncementsMutation, { input: { ids, dismiss: true } })
        .toPromise();
    },
    [client],
  );
}
