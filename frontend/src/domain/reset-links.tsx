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

/** A reset link for an account. It is kept here alone, and gone with whoever shows it. */
export function useResetLink(userId: string) {
  const [, execute] = useMutation(createResetLinkMutation);
  const [state, setState] = useState<ResetLinkState>({ isBusy: false });
  const busy = useRef(false);

  const create = useCallback(async () => {
    // A second link would make the first one useless.
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

/** Why there is no link, and what to do about it. */
export function ResetLinkFailure({ failure }: { failure: AppError }) {
  // Who made all the links of a day did nothing wrong.
  const tone = failure.code === 'RATE_LIMITED' ? 'warn' : 'bad';
  return (
    <Note tone={tone} role="alert">
      {errorText(failure)}
    </Note>
  );
}

/** The link, to be copied now or never, or where it was mailed to. */
export function ResetLinkResult({ link }: { link: ResetLink }) {
  const { t } = useTranslation('reset-links');
  const timeZone = useTimeZone();
  const box = useRef<HTMLDivElement>(null);

  // What was pressed to make the link is gone; the focus goes on to the link itself.
  useEffect(() => {
    box.current?.querySelector('textarea')?.focus();
  }, [link]);

  const { path, mailedTo, kind } = link;
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
      <Note tone="warn">{t('once')}</Note>
    </div>
  );
}
