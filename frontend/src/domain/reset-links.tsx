import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { type AppError, errorText, normalizeError } from '@/data/errors';
import { graphql, type ResultOf } from '@/data/graphql';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { Button } from '@/ui/button';
import { CopyField } from '@/ui/copy-field';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Note } from '@/ui/note';

const createResetLinkMutation = graphql(`
  mutation CreateResetLink($input: CreateResetLinkInput!) {
    createResetLink(input: $input) {
      kind
      path
      mailedTo
      mailFailed
      expiresAt
    }
  }
`);

type ResetLink = ResultOf<typeof createResetLinkMutation>['createResetLink'];

interface ResetLinkState {
  isBusy: boolean;
  link?: ResetLink;
  failure?: AppError;
}

/** Creates a reset link. The link is kept only in this component's state. */
export function useResetLink(userId: string) {
  const [, execute] = useMutation(createResetLinkMutation);
  const [state, setState] = useState<ResetLinkState>({ isBusy: false });
  const busy = useRef(false);

  const create = useCallback(async () => {
    // A second link would invalidate the first one.
    if (busy.current) return;
    busy.current = true;
    setState({ isBusy: true });
    const { data, error } = await execute({ input: { userId } });
    busy.current = false;
    setState({
      isBusy: false,
      ...(data && { link: data.createResetLink }),
      ...(error && { failure: normalizeError(error) }),
    });
  }, [execute, userId]);

  return { ...state, create };
}

interface ResetLinkDialogProps {
  account: { id: string; username: string };
  /** Whether the account signs in with a password or a PIN. */
  kind: 'password' | 'pin';
  onClose: () => void;
}

/** Asks for confirmation, because a new link invalidates earlier ones, then shows the link once. */
export function ResetLinkDialog({ account, kind, onClose }: ResetLinkDialogProps) {
  const { t } = useTranslation(['reset-links', 'common']);
  const { isBusy, link, failure, create } = useResetLink(account.id);
  const { username } = account;

  if (link) {
    return (
      <Dialog open onOpenChange={onClose}>
        <DialogContent
          width={560}
          // A click outside must not close the dialog: the link is shown only once.
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
            <Button disabled={isBusy} onClick={onClose}>
              {t('cancel', { ns: 'common' })}
            </Button>
            <Button variant="primary" disabled={isBusy} onClick={() => void create()}>
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

/** Explains why no link was created, and what to do. */
export function ResetLinkFailure({ failure }: { failure: AppError }) {
  // Reaching the daily limit is not the user's mistake.
  const tone = failure.code === 'RATE_LIMITED' ? 'warn' : 'bad';
  return (
    <Note tone={tone} role="alert">
      {errorText(failure)}
    </Note>
  );
}

/** The link to copy, shown once, or the address it was emailed to. */
export function ResetLinkResult({ link }: { link: ResetLink }) {
  const { t } = useTranslation('reset-links');
  const timeZone = useTimeZone();
  const box = useRef<HTMLDivElement>(null);

  // The button that created the link was removed, so focus the link.
  useEffect(() => {
    box.current?.querySelector('textarea')?.focus();
  }, [link]);

  const { path, mailedTo, mailFailed, kind } = link;
  const until = t('until', { at: formatDateTime(link.expiresAt, timeZone) });
  if (path === null) {
    return (
      <Note tone="ok" role="status" title={t('mailed', { address: mailedTo })}>
        {until}
      </Note>
    );
  }
  return (
    <div ref={box} className="flex flex-col gap-3">
      <CopyField
        label={t('link')}
        hint={`${t(`asks.${kind}`)} ${until}`}
        text={new URL(path, window.location.origin).href}
      />
      {mailFailed && <Note tone="warn">{t('notMailed')}</Note>}
      <Note tone="warn">{t('once')}</Note>
    </div>
  );
}
