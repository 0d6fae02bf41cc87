import { Monitor, Smartphone } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { readUserAgent } from '@/lib/user-agent';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Tag } from '@/ui/tag';
import { deviceName } from './device-name';
import type { Session } from './queries';

const HANDHELDS = new Set(['Android', 'iPhone', 'iPad']);

interface SessionItemProps {
  session: Session;
  /** The session of this very page is ended by logging out. */
  onEnd: () => void;
}

/** One place somebody is signed in at: with what, from where, since when and how lately. */
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
