import { type ComponentProps, useCallback, useEffect, useRef, useState } from 'react';
import type { FieldError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { type AuthReply, replyFailure } from '@/auth/auth-reply';
import { type AppError, normalizeError } from '@/data/errors';
import { EMAIL, limits } from '@/form/limits';
import { TextField } from '@/form/fields';
import { Note } from '@/ui/note';
import { toast } from '@/ui/toast';

/** What the server asks of the fields of a new account; of its password see the rules for secrets. */
export const accountRules = {
  username: { required: true, maxLength: limits.username },
  email: { required: true, maxLength: limits.email, pattern: EMAIL },
} as const;

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

/**
 * A secret that came in the address. It is taken out of there once it was read: addresses are kept,
 * copied and seen by others. Empty when there was none.
 */
export function useSecretParam(name: string): string {
  const [search, setSearch] = useSearchParams();
  const [secret, setSecret] = useState('');
  const found = search.get(name);
  if (found !== null && found !== secret) setSecret(found);

  useEffect(() => {
    if (found === null) return;
    setSearch(
      (rest) => {
        rest.delete(name);
        return rest;
      },
      { replace: true },
    );
  }, [found, name, setSearch]);

  return found ?? secret;
}

interface UsernameFieldProps extends Omit<ComponentProps<typeof TextField>, 'label'> {
  error: FieldError | undefined;
}

/** The name an account signs in with, open to password managers and spared by spelling checkers. */
export function UsernameField(props: UsernameFieldProps) {
  const { t } = useTranslation('auth');
  return (
    <TextField
      size={40}
      autoComplete="username"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      {...props}
      label={t('username')}
    />
  );
}

interface EmailFieldProps extends Omit<ComponentProps<typeof TextField>, 'label' | 'type'> {
  error: FieldError | undefined;
}

/** The address an account can be reached at. */
export function EmailField(props: EmailFieldProps) {
  const { t } = useTranslation('auth');
  return <TextField size={40} autoComplete="email" {...props} type="email" label={t('email')} />;
}

interface RefusalProps {
  failure: AppError | undefined;
  /** What else may stand here when nothing was refused. */
  fallback?: string | undefined;
}

/** Why the server said no. To wait is no mistake, so that it looks different. */
export function Refusal({ failure, fallback }: RefusalProps) {
  const text = failure ? (failure.detail ?? failure.message) : fallback;
  if (!text) return null;
  return (
    <Note tone={failure?.code === 'RATE_LIMITED' ? 'warn' : 'bad'} role="alert">
      {text}
    </Note>
  );
}
