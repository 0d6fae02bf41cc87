import { useCallback } from 'react';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { endSessionMutation, type Session } from './queries';

/** The answer holds a number alone, yet the list of sessions is another one now. */
export const endedContext = { additionalTypenames: ['Session'] };

/** Ends a session, and answers what went wrong. One that is over already is ended. */
export function useEndSession() {
  const [, execute] = useMutation(endSessionMutation);
  return useCallback(
    async ({ id }: Pick<Session, 'id'>): Promise<string | undefined> => {
      const { error } = await execute({ input: { id } }, endedContext);
      const failed = error && normalizeError(error);
      return failed && failed.code !== 'NOT_FOUND' ? errorText(failed) : undefined;
    },
    [execute],
  );
}
