import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { useKept } from '@/data/use-kept';
import { toast } from '@/ui/toast';
import { endOwnSessionMutation, mySessionsQuery, type OwnSession } from './queries';

// An empty list names no type by itself.
const context = { additionalTypenames: ['Session'] };

/** Where the user is signed in, and how to end that. */
export function useOwnSessions() {
  const { t } = useTranslation('account');
  const [, execute] = useMutation(endOwnSessionMutation);
  const [{ data, error }, read] = useQuery({
    query: mySessionsQuery,
    requestPolicy: 'cache-and-network',
    context,
  });
  const sessions = useKept(data?.mySessions, 'own');
  const refresh = useCallback(() => read({ requestPolicy: 'network-only' }), [read]);

  /** Ends one after the other, and answers what went wrong. One that is over already is ended. */
  const end = useCallback(
    async (ending: readonly OwnSession[]): Promise<string | undefined> => {
      for (const { id } of ending) {
        const answer = await execute({ input: { id } });
        const failed = answer.error && normalizeError(answer.error);
        if (failed && failed.code !== 'NOT_FOUND') {
          refresh();
          return errorText(failed);
        }
      }
      refresh();
      toast.success(t('sessions.ended', { count: ending.length }));
      return undefined;
    },
    [execute, refresh, t],
  );

  return { sessions, error, refresh, end };
}
