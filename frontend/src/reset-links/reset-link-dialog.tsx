import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { ResetLinkFailure } from './reset-link-failure';
import { ResetLinkResult } from './reset-link-result';
import { useResetLink } from './use-reset-link';

interface ResetLinkDialogProps {
  account: { id: string; username: string };
  /** What the account signs in with, and the link asks for. */
  kind: 'password' | 'pin';
  onClose: () => void;
}

/** Asks first, as the link makes an earlier one useless; then shows it, once. */
export function ResetLinkDialog({ account, kind, onClose }: ResetLinkDialogProps) {
  const { t } = useTranslation(['reset-links', 'common']);
  const { isBusy, link, failure, create } = useResetLink(account.id);
  const { username } = account;

  if (link) {
    return (
      <Dialog open onOpenChange={onClose}>
        <DialogContent
          width={560}
          // A click beside it would lose the link for good.
          staysOpen
          title={t('ready', { username })}
          footer={<Button onClick={onClose}>{t('done')}</Button>}
        >
          <ResetLinkResult link={link} />
        </DialogContent>
      </Dialog>
    );
  }
  return (
    <Dialog open onOpenChange={() => !isBusy && onClose()}>
      <DialogContent
        role="alertdialog"
        width={560}
        title={t(`question.${kind}`, { username })}
        description={`${t(`explain.${kind}`)} ${t('replaces')}`}
        footer={
          <>
            <Button aria-disabled={isBusy || undefined} onClick={() => !isBusy && onClose()}>
              {t('cancel', { ns: 'common' })}
            </Button>
            <Button
              variant="primary"
              aria-disabled={isBusy || undefined}
              onClick={() => void create()}
            >
              {t(isBusy ? 'creating' : 'create')}
            </Button>
          </>
        }
      >
        {failure && <ResetLinkFailure failure={failure} />}
      </DialogContent>
    </Dialog>
  );
}
