import { KeyRound } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { ResetLinkFailure } from '@/reset-links/reset-link-failure';
import { ResetLinkResult } from '@/reset-links/reset-link-result';
import { useResetLink } from '@/reset-links/use-reset-link';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import type { User } from '../queries';

/** Creates a link for a first or a forgotten password. */
export function ResetLinkPanel({ user }: { user: User }) {
  const { t } = useTranslation(['users', 'reset-links']);
  const titleId = useId();
  const { isBusy, link, failure, create } = useResetLink(user.id);
  const isDisabled = user.status === 'disabled';
  // The first password of an account is no reset.
  const texts = user.status === 'invited' ? 'invitation' : 'resetLink';
  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead id={titleId} title={t(`${texts}.title`)} />
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
          {isBusy
            ? t('resetLink.creating')
            : t(link ? 'resetLink.again' : `${texts}.create`)}
        </Button>
      </div>
    </Panel>
  );
}
