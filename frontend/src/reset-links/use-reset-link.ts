import { useCallback, useRef, useState } from 'react';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { graphql, type ResultOf } from '@/data/graphql';

const createResetLinkMutation = graphql(`
  mutation CreateResetLink($input: CreateResetLinkInput!) {
    createResetLink(input: $input) {
      kind
      path
      mailedTo
      expiresAt
    }
  }
`);

export type ResetLink = ResultOf<typeof createResetLinkMutation>['createResetLink'];

interface ResetLinkState {
  isBusy: boolean;
  link?: ResetLink;
  failure?: AppError;
}

/** A one-time link for an account. It is kept here alone, and gone with whoever shows it. */
export function useResetLink(userId: string) {
  const [, execute] = useMutation(createResetLinkMutation);
  const [state, setState] = useState<ResetLinkState>({ isBusy: false });
  const busy = useRef(false);

  const create = useCallback(async () => {
    // A second link would make the first one useless.
    if (busy.current) return;
    busy.current = true;
    setState({ isBusy: true });
    const { data, error } = await execute({ input: { userId } });
    busy.current = false;
    setState({
      isBusy: false,
      ...(data && { link: data.createResetLink }),
      ...(error && { failure: normalizeError(error) }),
    });
  }, [execute, userId]);

  return { ...state, create };
}
