import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { useKept } from '@/data/use-kept';
import { endOtherSessionsMutation, type Session } from '@/sessions/queries';
import { endedContext, useEndSession } from '@/sessions/use-end-session';
import { toast } from '@/ui/toast';
import { mySessionsQuery } from './queries';

/** Where the user is signed in, and how to end that. */
export function useOwnSessions() {
  const { t } = useTranslation('account');
  const endOne = useEndSession();
  const [, endOthers] = useMutation(endOtherSessionsMutation);
  const [{ data, error }, read] = useQuery({
    query: mySessionsQuery,
    requestPolicy: 'cache-and-network',
    // An empty list names no type by itself.
    context: endedContext,
  });
  const sessions = useKept(data?.mySessions, 'own');
  const refresh = useCallback(() => read({ requestPolicy: 'network-only' }), [read]);

  /** Ends one session, or all but this one; answers what went wrong. */
  const end = useCallback(
    async (ending: Session | 'others'): Promise<string | undefined> => {
      let failed: string | undefined;
      let count = 1;
      if (ending === 'others') {
        const answer = await endOthers({}, endedContext);
        failed = answer.error && errorText(normalizeError(answer.error));
        count = answer.data?.endOtherSessions.count ?? 0;
      } else {
        failed = await endOne(ending);
      }
      // Also after a failure: some may be over.
      refresh();
      if (failed === undefined) toast.success(t('sessions.ended', { count }));
      return failed;
    },
    [endOne, endOthers, refresh, t],
  );

  return { sessions, error, refresh, end };
}
