import { LogOut } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QueryState } from '@/data/query-state';
import type { Session } from '@/sessions/queries';
import { SessionItem } from '@/sessions/session-item';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import { useOwnSessions } from '../use-own-sessions';
import { EndSessionsDialog } from './end-sessions-dialog';
import { SessionsSkeleton } from './sessions-skeleton';

/** Every place the user is signed in at, and the way to end each but this one. */
export function SessionsPanel() {
  const { t } = useTranslation('account');
  const titleId = useId();
  const { sessions, error, refresh, end } = useOwnSessions();
  const [ending, setEnding] = useState<Session | 'others'>();
  const panel = useRef<HTMLElement>(null);
  const others = sessions?.filter(({ isCurrent }) => !isCurrent) ?? [];

  // The button that was pressed leaves with its session, and would take the focus along.
  const hasEnded = useRef(false);
  useEffect(() => {
    if (!hasEnded.current || document.activeElement !== document.body) return;
    hasEnded.current = false;
    panel.current?.focus();
  }, [sessions]);

  async function confirm() {
    const failed = ending && (await end(ending));
    hasEnded.current = failed === undefined;
    return failed;
  }

  return (
    <Panel
      ref={panel}
      tabIndex={-1}
      aria-labelledby={titleId}
      className="flex flex-col focus-visible:outline-none"
    >
      <PanelHead
        id={titleId}
        line
        title={t('sessions.title')}
        note={sessions && t('sessions.count', { count: sessions.length })}
        tools={
          others.length > 0 && (
            <Button variant="danger" size={28} icon={LogOut} onClick={() => setEnding('others')}>
              {t('sessions.endOthers')}
            </Button>
          )
        }
      />
      <QueryState
        value={sessions}
        error={error}
        onRetry={refresh}
        loading={<SessionsSkeleton />}
        empty={null}
      >
        {(list) => (
          <ul aria-labelledby={titleId} className="divide-y divide-line">
            {/* This one first; the others are what somebody looks through. */}
            {[...list.filter(({ isCurrent }) => isCurrent), ...others].map((session) => (
              <SessionItem
                key={session.id}
                session={session}
                onEnd={() => setEnding(session)}
              />
            ))}
          </ul>
        )}
      </QueryState>
      {others.length === 0 && sessions && (
        <p className="border-t border-line px-4 py-3 text-xs text-muted">{t('sessions.onlyHere')}</p>
      )}
      {ending && (
        <EndSessionsDialog
          sessions={ending === 'others' ? others : [ending]}
          onConfirm={confirm}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Panel>
  );
}
