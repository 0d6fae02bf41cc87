import { KeyRound } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { ResetLinkFailure } from '@/reset-links/reset-link-failure';
import { ResetLinkResult } from '@/reset-links/reset-link-result';
import { useResetLink } from '@/reset-links/use-reset-link';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import type { User } from '../queries';

/** The way to a password for somebody who has none yet, or forgot it. */
export function ResetLinkPanel({ user }: { user: User }) {
  const { t } = useTranslation(['users', 'reset-links']);
  const titleId = useId();
  const { isBusy, link, failure, create } = useResetLink(user.id);
  const isDisabled = user.status === 'disabled';
  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead id={titleId} title={t('resetLink.title')} />
      <div className="flex flex-col items-start gap-3 px-4 pb-4">
        <p className="text-sm text-muted">{t(`resetLink.${user.status}`)}</p>
        {!isDisabled && (
          <p className="text-sm text-muted">{t('replaces', { ns: 'reset-links' })}</p>
        )}
        {failure && (
          <div className="self-stretch">
            <ResetLinkFailure failure={failure} />
          </div>
        )}
        {link && (
          <div className="self-stretch">
            <ResetLinkResult link={link} />
          </div>
        )}
        <Button
          icon={KeyRound}
          disabled={isDisabled}
          aria-disabled={isBusy || undefined}
          onClick={() => void create()}
        >
          {t(isBusy ? 'resetLink.creating' : link ? 'resetLink.again' : 'resetLink.create')}
        </Button>
      </div>
    </Panel>
  );
}
