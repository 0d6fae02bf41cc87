import { LogOut } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Session } from '@/sessions/queries';
import { SessionItem } from '@/sessions/session-item';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import type { User } from '../queries';
import { EndAllDialog } from './end-all-dialog';
import { EndSessionDialog } from './end-session-dialog';

/** Where somebody is signed in, and the way to sign them out. */
export function SessionsPanel({ user }: { user: User }) {
  const { t } = useTranslation('users');
  const titleId = useId();
  const [ending, setEnding] = useState<Session>();
  const [isEndingAll, setEndingAll] = useState(false);
  const { sessions } = user;
  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead
        id={titleId}
        line
        title={t('sessions.title')}
        note={sessions.length > 0 && t('sessions.count', { count: sessions.length })}
        tools={
          sessions.length > 0 && (
            <Button variant="danger" size={28} icon={LogOut} onClick={() => setEndingAll(true)}>
              {t('sessions.endAll')}
            </Button>
          )
        }
      />
      {sessions.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-muted">{t('sessions.none')}</p>
      ) : (
        <ul aria-labelledby={titleId} className="divide-y divide-line">
          {sessions.map((session) => (
            <SessionItem key={session.id} session={session} onEnd={() => setEnding(session)} />
          ))}
        </ul>
      )}
      {ending && (
        <EndSessionDialog
          session={ending}
          username={user.username}
          onClose={() => setEnding(undefined)}
        />
      )}
      {isEndingAll && <EndAllDialog user={user} onClose={() => setEndingAll(false)} />}
    </Panel>
  );
}
