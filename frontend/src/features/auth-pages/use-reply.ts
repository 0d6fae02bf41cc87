import { useCallback, useEffect, useRef, useState } from 'react';
import { type AuthReply, replyFailure } from '@/auth/auth-reply';
import { type AppError, normalizeError } from '@/data/errors';
import { toast } from '@/ui/toast';

export type Outcome =
  | { is: 'done'; reply: AuthReply }
  | { is: 'news'; message: string }
  | { is: 'refused'; failure: AppError };

type Call = () => Promise<AuthReply>;

/** What came of a call of the auth endpoint. News comes before a refusal, as its pages read it. */
export async function outcomeOf(call: Call): Promise<Outcome> {
  try {
    const reply = await call();
    if (reply.message) return { is: 'news', message: reply.message };
    const failure = replyFailure(reply);
    return failure ? { is: 'refused', failure } : { is: 'done', reply };
  } catch (cause) {
    return { is: 'refused', failure: normalizeError(cause) };
  }
}

export function toastFailure(failure: AppError): string {
  return toast.error(failure.detail ?? failure.message);
}

/**
 * Asks, and says what came of it in a toast. A refusal is kept for the page, as its toast does not
 * last; both go with the next attempt, and with the page.
 */
export function useReply() {
  const [failure, setFailure] = useState<AppError>();
  const shown = useRef<string>(undefined);

  const forget = useCallback(() => {
    if (shown.current) toast.remove(shown.current);
    shown.current = undefined;
  }, []);

  useEffect(() => forget, [forget]);

  const ask = useCallback(
    async (call: Call): Promise<Outcome> => {
      forget();
      setFailure(undefined);
      const outcome = await outcomeOf(call);
      if (outcome.is === 'news') toast(outcome.message);
      if (outcome.is === 'refused') {
        shown.current = toastFailure(outcome.failure);
        setFailure(outcome.failure);
      }
      return outcome;
    },
    [forget],
  );

  return { failure, ask };
}
