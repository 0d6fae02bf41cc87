import type { TFunction } from 'i18next';
import { Monitor, Smartphone } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { type FragmentOf, graphql } from '@/data/graphql';
import { readUserAgent } from '@/lib/user-agent';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Tag } from '@/ui/tag';

/** Names the device of a session, such as 'Chrome on Windows'. */
export function deviceName(userAgent: string, t: TFunction<'sessions'>): string {
  const { browser, system } = readUserAgent(userAgent);
  if (browser && system) return t('device', { browser, system });
  return browser ?? system ?? t('unknownDevice');
}

/** Fields of a session shown in every list of sessions. */
export const sessionFragment = graphql(`
  fragment SessionFields on Session @_unmask {
    id
    address
    userAgent
    createdAt
    lastUsedAt
    expiresAt
    isCurrent
  }
`);

const endSessionMutation = graphql(`
  mutation EndSession($input: EndSessionInput!) {
    endSession(input: $input) {
      count
    }
  }
`);

/** Ends all sessions of the user except the current one. */
export const endOtherSessionsMutation = graphql(`
  mutation EndOtherSessions {
    endOtherSessions {
      count
    }
  }
`);

export type Session = FragmentOf<typeof sessionFragment>;

/** The mutation returns only a number, so name the type that has to be refetched. */
export const endedContext = { additionalTypenames: ['Session'] };

/** Ends a session and returns the error, if any. A session that has already ended is not an error. */
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

const HANDHELDS = new Set(['Android', 'iPhone', 'iPad']);

interface SessionItemProps {
  session: Session;
  /** The current session has no button; users end it by signing out. */
  onEnd: () => void;
}

/** One session: device, address, sign-in time and last activity. */
export function SessionItem({ session, onEnd }: SessionItemProps) {
  const { t } = useTranslation('sessions');
  const { userAgent, address, createdAt, lastUsedAt, expiresAt, isCurrent } = session;
  const device = deviceName(userAgent, t);
  const Icon = HANDHELDS.has(readUserAgent(userAgent).system ?? '') ? Smartphone : Monitor;
  const times = [
    { label: 'used', at: lastUsedAt, show: 'ago' },
    { label: 'since', at: createdAt, show: 'date' },
    { label: 'until', at: expiresAt, show: 'date' },
  ] as const;

  return (
    <li className="flex items-start gap-3 px-4 py-3">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
          <span className="font-medium" data-tip={userAgent}>
            {device}
          </span>
          <span className="text-muted tabular-nums wrap-anywhere">{address}</span>
          {isCurrent && <Tag tone="accent">{t('current')}</Tag>}
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-muted tabular-nums">
          {times.map(({ label, at, show }) => (
            <span key={label} className="whitespace-nowrap">
              {t(label)} <DateTime instant={at} show={show} />
            </span>
          ))}
        </p>
      </div>
      {!isCurrent && (
        <Button size={28} aria-label={t('endOf', { device, address })} onClick={onEnd}>
          {t('end')}
        </Button>
      )}
    </li>
  );
}
