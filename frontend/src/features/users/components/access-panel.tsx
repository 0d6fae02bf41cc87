import { CircleCheck, CircleSlash } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import type { User } from '../queries';
import { StatusDialog } from './status-dialog';

/** Whether the account may be used at all. */
export function AccessPanel({ user }: { user: User }) {
  const { t } = useTranslation('users');
  const titleId = useId();
  const noteId = useId();
  const { currentUser } = useAuth();
  const [isAsking, setAsking] = useState(false);
  const isOwn = user.id === currentUser?.id;
  const isDisabled = user.status === 'disabled';
  const ask = () => setAsking(true);
  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead id={titleId} title={t('access.title')} />
      <div className="flex flex-col items-start gap-3 px-4 pb-4">
        <p id={noteId} className="text-sm text-muted">
          {t(isOwn ? 'access.own' : isDisabled ? 'enable.text' : 'disable.text')}
        </p>
        {isDisabled ? (
          <Button icon={CircleCheck} onClick={ask}>
            {t('enable.verb')}
          </Button>
        ) : (
          <Button
            variant="danger"
            icon={CircleSlash}
            disabled={isOwn}
            aria-describedby={noteId}
            onClick={ask}
          >
            {t('disable.verb')}
          </Button>
        )}
      </div>
      {isAsking && <StatusDialog user={user} onClose={() => setAsking(false)} />}
    </Panel>
  );
}
