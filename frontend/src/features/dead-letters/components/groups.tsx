import { RotateCw, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatCount } from '@/lib/numbers';
import { encodeFilters } from '@/list/filters-codec';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Panel } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import { Count } from '@/ui/tag';
import type { Group } from '../queries';
import { letterState } from '../state';
import type { JobAction } from '../use-start-job';

interface GroupsProps {
  groups: readonly Group[];
  onAct: (action: JobAction, group: Group) => void;
}

/** Longer texts would make the filter unusable, and nobody reads more of one in a chip. */
const LABEL_LENGTH = 200;

/** The list of the messages of one group. */
function addressOf({ fingerprint, errorText }: Group): string {
  const filter = {
    key: 'errorFingerprint',
    operator: 'equals' as const,
    values: [{ label: errorText.slice(0, LABEL_LENGTH), value: fingerprint }],
  };
  return `${routes.deadLetters()}?filters=${encodeURIComponent(encodeFilters([filter]))}`;
}

/** Messages to fix by what went wrong: how many, since when, and what can be done. */
export function Groups({ groups, onAct }: GroupsProps) {
  const { t } = useTranslation('dead-letters');
  return (
    <ul className="flex flex-col gap-3" aria-label={t('groups.title')}>
      {groups.map((group) => {
        const { fingerprint, state, errorText, endpointName, endpointPaused, count } = group;
        return (
          <li key={`${fingerprint}-${state}`}>
            <Panel className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
              <div className="min-w-0 flex-1 basis-80">
                <div className="flex flex-wrap items-center gap-2">
                  <Link
                    to={addressOf(group)}
                    className="min-w-0 text-base font-semibold text-fg wrap-anywhere hover:underline"
                  >
                    {errorText}
                  </Link>
                  <Count>{formatCount(count)}</Count>
                </div>
                <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
                  <StatusChip kind="deadLetter" status={letterState(state)} />
                  {endpointName && <span>{t('groups.to', { name: endpointName })}</span>}
                  {endpointPaused && <span className="text-warn">{t('groups.paused')}</span>}
                  <span>
                    {t('groups.first')} <DateTime instant={group.firstSeenAt} show="ago" />
                  </span>
                  <span>
                    {t('groups.last')} <DateTime instant={group.lastSeenAt} show="ago" />
                  </span>
                  {group.nextAttemptAt && (
                    <span>
                      {t('groups.next')} <DateTime instant={group.nextAttemptAt} />
                    </span>
                  )}
                </p>
              </div>
              <div className="flex gap-2">
                <Button icon={RotateCw} onClick={() => onAct('resend', group)}>
                  {t('groups.resend', { shown: formatCount(count) })}
                </Button>
                <Button
                  variant="danger"
                  icon={Trash2}
                  aria-label={t('groups.discard', { error: errorText })}
                  onClick={() => onAct('discard', group)}
                >
                  {t('job.verb.discard')}
                </Button>
              </div>
            </Panel>
          </li>
        );
      })}
    </ul>
  );
}
