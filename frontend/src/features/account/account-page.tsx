import { LogOut, ShieldCheck } from 'lucide-react';
import { useCallback, useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMutation, useQuery } from 'urql';
import { useAuth, useRoleName } from '@/auth/use-auth';
import { type AppError, errorText, normalizeError } from '@/data/errors';
import { QueryState } from '@/data/query-state';
import { usePreviousData } from '@/data/use-record';
import { Form, FormSummary, SubmitButton } from '@/form/form';
import { PasswordField } from '@/form/secret-fields';
import { passwordRules, repeatRules } from '@/form/secret-rules';
import { showFieldErrors } from '@/form/use-save';
import {
  deviceName,
  endedContext,
  endOtherSessionsMutation,
  type Session,
  SessionItem,
  useEndSession,
} from '@/domain/sessions';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/dialog';
import { EmailText, Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';
import { Tag } from '@/ui/tag';
import { toast } from '@/ui/toast';
import { controlOfRow, useFocusFallback } from '@/ui/use-focus-fallback';
import { changeOwnPasswordMutation, mySessionsQuery } from './queries';

/** Sessions of the signed-in user, and ways to end them. */
function useOwnSessions() {
  const { t } = useTranslation('account');
  const endOne = useEndSession();
  const [, endOthers] = useMutation(endOtherSessionsMutation);
  const [{ data, error }, read] = useQuery({
    query: mySessionsQuery,
    requestPolicy: 'cache-and-network',
    // Names the type explicitly, because an empty list has no rows from which urql could learn it.
    context: endedContext,
  });
  const sessions = usePreviousData(data?.mySessions, 'own');
  const refresh = useCallback(() => read({ requestPolicy: 'network-only' }), [read]);

  /** Ends one session, or all but the current one; returns the error, if any. */
  const end = useCallback(
    async (ending: Session | 'others'): Promise<string | undefined> => {
      let failed: string | undefined;
      let count = 1;
      if (ending === 'others') {
        const answer = await endOthers({}, endedContext);
        failed = answer.error && errorText(normalizeError(answer.error));
        count = answer.data?.endOtherSessions.count ?? 0;
      } else {
        failed = await endOne(ending);
      }
      // Refetch after a failure too: some sessions may have ended.
      refresh();
      if (failed === undefined) toast.success(t('sessions.ended', { count }));
      return failed;
    },
    [endOne, endOthers, refresh, t],
  );

  return { sessions, error, refresh, end };
}

export default function AccountPage() {
  return (
    <PageFrame>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_372px]">
        <div className="flex min-w-0 flex-col gap-4">
          <AccountFacts />
          <SessionsPanel />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <PasswordPanel />
          <AboutPanel />
        </div>
      </div>
    </PageFrame>
  );
}

/** The user's profile. Only administrators can change it. */
function AccountFacts() {
  const { t } = useTranslation(['account', 'common']);
  const { currentUser } = useAuth();
  const roleName = useRoleName();
  if (!currentUser) return null;
  const { username, displayName, email, organization } = currentUser;
  const roles = [currentUser.roles].flat();
  const none = t('none', { ns: 'common' });
  return (
    <Panel aria-label={t('facts.title')} className="p-4">
      <div className="mb-4 flex items-center gap-2.5">
        <Avatar name={username} />
        <span className="min-w-0 text-base font-semibold wrap-anywhere">{username}</span>
      </div>
      <Facts columns={2}>
        <Fact label={t('facts.displayName')} value={displayName} empty={none} />
        <Fact label={t('facts.email')} value={email && <EmailText address={email} />} empty={none} />
        <Fact label={t('facts.organization')} value={organization.name} />
        <Fact
          label={t('facts.roles')}
          empty={none}
          value={
            roles.length > 0 ? (
              <span className="flex flex-wrap gap-1">
                {roles.map((role) =>
                  role === 'admin' ? (
                    <Tag key={role} tone="accent" icon={ShieldCheck}>
                      {roleName(role)}
                    </Tag>
                  ) : (
                    <Tag key={role}>{roleName(role)}</Tag>
                  ),
                )}
              </span>
            ) : null
          }
        />
      </Facts>
      <p className="mt-4 border-t border-line pt-3 text-xs text-muted">
        {t(roles.length > 0 ? 'facts.change' : 'facts.noRole')}
      </p>
    </Panel>
  );
}

interface PasswordValues {
  currentPassword: string;
  newPassword: string;
  repeat: string;
}

const empty: PasswordValues = { currentPassword: '', newPassword: '', repeat: '' };
const FIELDS = ['currentPassword', 'newPassword'] as const;
// The mutation ends sessions, but its response holds only a count, so the sessions would not refetch.
const context = { additionalTypenames: ['Session'] };

function PasswordPanel() {
  const { t } = useTranslation(['account', 'auth']);
  const titleId = useId();
  const { currentUser } = useAuth();
  const [, execute] = useMutation(changeOwnPasswordMutation);
  const [failure, setFailure] = useState<AppError>();
  const form = useForm<PasswordValues>({ defaultValues: empty });
  const { register, reset, setError, setFocus } = form;
  const { errors, isSubmitting } = form.formState;

  async function submit({ currentPassword, newPassword }: PasswordValues) {
    setFailure(undefined);
    const { data, error } = await execute({ input: { currentPassword, newPassword } }, context);
    if (error) {
      const failed = normalizeError(error);
      setFailure(failed);
      showFieldErrors(failed, FIELDS, setError);
      return;
    }
    reset(empty);
    setFocus('currentPassword');
    toast.success(t('password.done', { count: data?.changeOwnPassword.count ?? 0 }));
  }

  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead id={titleId} title={t('password.title')} />
      <Form form={form} onSubmit={submit} className="flex flex-col gap-4 px-4 pt-1 pb-4">
        <FormSummary failure={failure} />
        {/* Lets password managers find the account. */}
        <input type="text" hidden readOnly autoComplete="username" value={currentUser?.username} />
        <PasswordField
          {...register('currentPassword', { required: true })}
          label={t('password.current')}
          what={t('what.current', { ns: 'auth' })}
          error={errors.currentPassword}
          autoComplete="current-password"
        />
        <PasswordField
          {...register('newPassword', { ...passwordRules, deps: ['repeat'] })}
          label={t('password.new')}
          hint={t('passwordHint', { ns: 'auth' })}
          what={t('what.new.password', { ns: 'auth' })}
          error={errors.newPassword}
          autoComplete="new-password"
        />
        <PasswordField
          {...register(
            'repeat',
            repeatRules<PasswordValues>('newPassword', t('reset.password.differs', { ns: 'auth' })),
          )}
          label={t('password.repeat')}
          what={t('what.repeated.password', { ns: 'auth' })}
          error={errors.repeat}
          autoComplete="new-password"
        />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line pt-4">
          <SubmitButton
            busy={isSubmitting}
            label={t('password.save')}
            busyLabel={t('saving', { ns: 'auth' })}
            size={36}
          />
          <p className="min-w-0 flex-1 text-xs text-muted">{t('password.effect')}</p>
        </div>
      </Form>
    </Panel>
  );
}

/** Sessions of the user, with buttons to end all but the current one. */
function SessionsPanel() {
  const { t } = useTranslation('account');
  const titleId = useId();
  const { sessions, error, refresh, end } = useOwnSessions();
  const [ending, setEnding] = useState<Session | 'others'>();
  // An ended session is removed with its button.
  const panel = useFocusFallback<HTMLElement>((own, otherRows) => controlOfRow(otherRows) ?? own);
  const others = sessions?.filter(({ isCurrent }) => !isCurrent) ?? [];

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
            {/* The current session first; the others are the ones to check. */}
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
          onConfirm={() => end(ending)}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Panel>
  );
}

interface EndSessionsDialogProps {
  sessions: readonly Session[];
  onConfirm: () => Promise<string | undefined>;
  onClose: () => void;
}

/** Asks for confirmation before ending one or all other sessions. */
function EndSessionsDialog({ sessions, onConfirm, onClose }: EndSessionsDialogProps) {
  const { t } = useTranslation('account');
  const { t: named } = useTranslation('sessions');
  const [first] = sessions;
  const count = sessions.length;
  const text =
    count === 1 && first
      ? t('sessions.endText', {
          device: deviceName(first.userAgent, named),
          address: first.address,
        })
      : t('sessions.endOthersText', { count });
  return (
    <ConfirmDialog
      danger
      title={t('sessions.endQuestion', { count })}
      text={text}
      confirm={t('sessions.endConfirm', { count })}
      busy={t('sessions.ending')}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  );
}

function SessionsSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="divide-y divide-line">
      {Array.from({ length: 2 }, (_, index) => (
        <div key={index} className="flex h-[62px] items-center gap-3 px-4">
          <Skeleton className="size-4" />
          <div className="flex flex-1 flex-col gap-2.5">
            <Skeleton className="h-3 w-48 rounded-full" />
            <Skeleton className="h-2.5 w-72 max-w-full rounded-full" />
          </div>
        </div>
      ))}
    </div>
  );
}

function AboutPanel() {
  const { t } = useTranslation('account');
  const id = useId();
  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('about.title')} />
      <div className="flex flex-wrap items-center justify-between gap-2 px-4 pb-3">
        <p className="text-xs text-muted">{t('about.text')}</p>
        <Button asChild variant="ghost" size={28} className="-mx-2 text-accent!">
          <Link to={routes.thirdPartyNotices()}>{t('about.link')}</Link>
        </Button>
      </div>
    </Panel>
  );
}
