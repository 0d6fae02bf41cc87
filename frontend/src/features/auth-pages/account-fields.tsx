import { type ComponentProps, useCallback, useEffect, useRef, useState } from 'react';
import type { FieldError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { type AuthReply, replyFailure } from '@/auth/auth-reply';
import { type AppError, normalizeError } from '@/data/errors';
import { atMost, EMAIL, limits } from '@/form/limits';
import { TextField } from '@/form/fields';
import { Note } from '@/ui/note';
import { toast } from '@/ui/toast';

/** Server rules for fields of a new account; for the password see `passwordRules`. */
export const accountRules = {
  username: { required: true, validate: atMost(limits.username) },
  email: { required: true, validate: atMost(limits.email), pattern: EMAIL },
} as const;

export type Outcome =
  | { is: 'done'; reply: AuthReply }
  | { is: 'news'; message: string }
  | { is: 'refused'; failure: AppError };

type Call = () => Promise<AuthReply>;

/** Normalizes the response of the auth endpoint. A message takes precedence over an error. */
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
 * Sends a request and shows the result in a toast. Errors also stay on the page, since toasts disappear; the next
 * attempt clears both.
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

/** Reads a secret from the URL and removes it there, since URLs are stored, copied and visible. Empty if there is none. */
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

/** User name input that supports password managers and disables spell checking. */
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

/** Email address input. */
export function EmailField(props: EmailFieldProps) {
  const { t } = useTranslation('auth');
  return <TextField size={40} autoComplete="email" {...props} type="email" label={t('email')} />;
}

interface RefusalProps {
  failure: AppError | undefined;
  /** Text shown while there is no error. */
  fallback?: string | undefined;
}

/** The server's error. Rate limits are shown as a warning, not as a mistake. */
export function Refusal({ failure, fallback }: RefusalProps) {
  const text = failure ? (failure.detail ?? failure.message) : fallback;
  if (!text) return null;
  return (
    <Note tone={failure?.code === 'RATE_LIMITED' ? 'warn' : 'bad'} role="alert">
      {text}
    </Note>
  );
}
