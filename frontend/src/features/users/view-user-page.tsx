import { CircleCheck, CircleSlash, KeyRound, LogOut, ScrollText, ShieldCheck } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMutation } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { errorText, normalizeError } from '@/data/errors';
import { encodeFilters } from '@/list/filters-codec';
import { ByAt } from '@/domain/by-at';
import { ResetLinkFailure, ResetLinkResult, useResetLink } from '@/domain/reset-links';
import { RecordLink } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { deviceName, type Session, SessionItem, useEndSession } from '@/domain/sessions';
import { PageFrame } from '@/shell/page-frame';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/dialog';
import { DateTime } from '@/ui/date-time';
import { Note } from '@/ui/note';
import { EmailText, Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import { FactsSkeleton, Skeleton } from '@/ui/skeleton';
import { StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import { ProfileForm } from './profile-form';
import { endUserSessionsMutation, type User } from './queries';
import { RoleTags } from './roles';
import { StatusDialog, UserState, useUser } from './user';

export default function ViewUserPage() {
  const { id } = useRouteParams('viewUser');
  const result = useUser(id);
  return (
    <PageFrame>
      <UserState result={result} loading={<UserSkeleton />}>
        {(user) => (
          <>
            <UserHeader user={user} />
            {/* Form and link must not carry over to another account. */}
            <div
              key={user.id}
              className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_340px]"
            >
              <div className="flex min-w-0 flex-col gap-4">
                <UserFacts user={user} />
                <ProfileForm user={user} onReload={result.retry} />
                <SessionsPanel user={user} />
              </div>
              <div className="flex min-w-0 flex-col gap-4">
                <ResetLinkPanel user={user} />
                <AccessPanel user={user} />
              </div>
            </div>
          </>
        )}
      </UserState>
    </PageFrame>
  );
}

/** Disables or enables the account. */
function AccessPanel({ user }: { user: User }) {
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

/** What ended a link: a changed email address, a disabled account, or a password that was set with it. */
type LinkEnd = 'email' | 'disabled' | 'used';

interface LinkAccount extends Pick<User, 'email' | 'status'> {
  /** Stays, since restoring the email address or enabling the account does not restore the link. */
  end?: LinkEnd;
}

/** Returns why a link that was created for `before` no longer works, if so. */
function linkEnd(before: LinkAccount, { email, status }: User): LinkEnd | undefined {
  if (status === 'disabled') return 'disabled';
  if (email !== before.email) return 'email';
  return status === before.status ? undefined : 'used';
}

/** Creates a link to set a first password or to replace a forgotten one. */
function ResetLinkPanel({ user }: { user: User }) {
  const { t } = useTranslation(['users', 'reset-links']);
  const titleId = useId();
  const { isBusy, failure, create, ...result } = useResetLink(user.id);
  // The account as it was when the link was created.
  const [account, setAccount] = useState<LinkAccount>();
  const end = account && (account.end ?? linkEnd(account, user));
  if (account && account.end !== end) setAccount({ ...account, end });
  const link = end ? undefined : result.link;
  const isDisabled = user.status === 'disabled';
  // For an account without a password, the link is an invitation.
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
        {end && result.link && (
          <Note tone="warn" role="status" className="self-stretch">
            {t(`resetLink.ended.${end}`)}
          </Note>
        )}
        <Button
          icon={KeyRound}
          disabled={isDisabled}
          aria-disabled={isBusy || undefined}
          onClick={() => {
            setAccount({ email: user.email, status: user.status });
            void create();
          }}
        >
          {isBusy
            ? t('resetLink.creating')
            : t(link ? 'resetLink.again' : `${texts}.create`)}
        </Button>
      </div>
    </Panel>
  );
}

/** Active sessions of the account, with buttons to end them. */
function SessionsPanel({ user }: { user: User }) {
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

interface EndAllDialogProps {
  user: Pick<User, 'id' | 'username'>;
  onClose: () => void;
}

const context = { additionalTypenames: ['Session'] };

function EndAllDialog({ user, onClose }: EndAllDialogProps) {
  const { t } = useTranslation('users');
  const { currentUser } = useAuth();
  const [, execute] = useMutation(endUserSessionsMutation);
  const { id, username } = user;
  const isOwn = id === currentUser?.id;

  async function endAll() {
    const { data, error } = await execute({ input: { userId: id } }, context);
    if (error) return errorText(normalizeError(error));
    toast.success(t('sessions.ended', { count: data?.endUserSessions.count ?? 0 }));
    return undefined;
  }

  return (
    <ConfirmDialog
      danger
      title={t('sessions.endAllQuestion', { username })}
      text={t(isOwn ? 'sessions.endAllOwn' : 'sessions.endAllText', { username })}
      confirm={t('sessions.endAllConfirm')}
      busy={t('sessions.ending')}
      onConfirm={endAll}
      onClose={onClose}
    />
  );
}

interface EndSessionDialogProps {
  session: Session;
  username: string;
  onClose: () => void;
}

function EndSessionDialog({ session, username, onClose }: EndSessionDialogProps) {
  const { t } = useTranslation('users');
  const { t: sessionText } = useTranslation('sessions');
  const endSession = useEndSession();
  const device = deviceName(session.userAgent, sessionText);

  async function end() {
    const failed = await endSession(session);
    if (failed === undefined) toast.success(t('sessions.ended', { count: 1 }));
    return failed;
  }

  return (
    <ConfirmDialog
      danger
      title={t('sessions.endQuestion')}
      text={t('sessions.endText', { username, device, address: session.address })}
      confirm={t('sessions.endConfirm')}
      busy={t('sessions.ending')}
      onConfirm={end}
      onClose={onClose}
    />
  );
}

function UserFacts({ user }: { user: User }) {
  const { t } = useTranslation(['users', 'common']);
  const { lastLoginAt } = user;
  return (
    <Panel aria-label={t('view.facts')} className="p-4">
      <Facts columns={3}>
        <Fact
          label={t('fields.status')}
          value={<StatusChip kind="user" status={user.status} />}
        />
        <Fact label={t('fields.roles')} value={<RoleTags roles={user.roles} />} />
        <Fact
          label={t('fields.lastLoginAt')}
          value={
            lastLoginAt && (
              <DateTime instant={lastLoginAt} />
            )
          }
          empty={t('never', { ns: 'common' })}
        />
        <Fact label={t('fields.email')} value={<EmailText address={user.email} />} />
        <Fact label={t('fields.createdAt')} value={<ByAt by={user.createdBy} at={user.createdAt} />} />
        <Fact label={t('fields.updatedAt')} value={<ByAt by={user.updatedBy} at={user.updatedAt} />} />
      </Facts>
    </Panel>
  );
}

/** The address of the audit log filtered by this account. */
function auditAddress(username: string): string {
  const values = [{ label: username, value: username }];
  return routes.auditEntries({
    filters: encodeFilters([{ key: 'entityName', operator: 'equals', values }]),
  });
}

function UserHeader({ user }: { user: User }) {
  const { t } = useTranslation('users');
  const { id, username, displayName, status } = user;
  return (
    <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
      <Avatar name={username} muted={status === 'disabled'} />
      <h2 className="-ms-0.5 text-xl font-semibold wrap-anywhere">{username}</h2>
      <StatusChip kind="user" status={status} size={24} />
      {displayName && <span dir="auto" className="text-sm text-muted">{displayName}</span>}
      <div className="ms-auto flex flex-wrap gap-2 max-md:ms-0">
        <Button asChild icon={ScrollText}>
          <Link to={auditAddress(username)}>{t('audit.about')}</Link>
        </Button>
        <Button asChild icon={ShieldCheck}>
          <RecordLink to={routes.editUserRoles({ id })}>{t('roles.edit')}</RecordLink>
        </Button>
      </div>
    </div>
  );
}

/** Skeleton in the layout of the page, so that nothing shifts when the account loads. */
function UserSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="mb-4 flex h-8 items-center gap-3">
        <Skeleton className="size-7 rounded-full" />
        <Skeleton className="h-6 w-32" />
        <Skeleton className="h-6 w-20 rounded-full" />
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_340px]">
        <div className="flex min-w-0 flex-col gap-4">
          <FactsSkeleton count={6} />
          <Panel className="flex flex-col gap-4 p-4">
            <Skeleton className="h-3 w-24 rounded-full" />
            <Skeleton className="h-9 max-w-[560px]" />
            <Skeleton className="h-9 max-w-[560px]" />
          </Panel>
        </div>
        <Panel className="flex flex-col gap-4 p-4">
          {Array.from({ length: 4 }, (_, index) => (
            <Skeleton key={index} className="h-3 w-3/4 rounded-full" />
          ))}
        </Panel>
      </div>
    </div>
  );
}
