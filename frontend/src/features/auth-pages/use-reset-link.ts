import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isPassing } from '@/auth/auth-reply';
import { useAuth } from '@/auth/use-auth';
import type { AppError } from '@/data/errors';
import { outcomeOf, toastFailure } from './use-reply';

/** What a one-time link asks for. */
export type SecretKind = 'password' | 'pin';

export type LinkState =
  | { is: 'checking' }
  | { is: 'good'; kind: SecretKind }
  /** Without a reason when there was no token to ask about. */
  | { is: 'dead'; reason?: string }
  /** Nothing is known of the link; asking again may help. */
  | { is: 'unknown'; failure: AppError };

/** Whether the token of a one-time link still works, and what it is for. */
export function useResetLink(token: string) {
  const { t } = useTranslation('auth');
  const { validateResetToken } = useAuth();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<LinkState>({ is: 'checking' });

  const look = useCallback(async (): Promise<LinkState> => {
    if (!token) return { is: 'dead' };
    const outcome = await outcomeOf(() => validateResetToken(token));
    if (outcome.is === 'done') {
      return { is: 'good', kind: outcome.reply.kind === 'pin' ? 'pin' : 'password' };
    }
    if (outcome.is === 'news') {
      return { is: 'dead', reason: outcome.message };
    }
    const { failure } = outcome;
    if (isPassing(failure)) return { is: 'unknown', failure };
    const text = failure.detail ?? failure.message;
    // What the server says of a token names a field that nobody sees.
    return { is: 'dead', reason: t(`reset.dead.reasons.${text}`, { defaultValue: text }) };
  }, [token, validateResetToken, t]);

  useEffect(() => {
    let isLeft = false;
    void look().then((found) => {
      if (isLeft) return;
      if (found.is === 'unknown') toastFailure(found.failure);
      setState(found);
    });
    return () => {
      isLeft = true;
    };
  }, [look, attempt]);

  /** Asks again and leaves the page as it is, unless the link is dead by now. */
  const check = useCallback(async () => {
    const found = await look();
    if (found.is === 'dead') setState(found);
  }, [look]);

  const retry = useCallback(() => {
    setState({ is: 'checking' });
    setAttempt((count) => count + 1);
  }, []);

  return { state, check, retry };
}
