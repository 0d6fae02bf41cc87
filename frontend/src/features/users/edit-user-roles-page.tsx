import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { type AppError, normalizeError } from '@/data/errors';
import { FormSummary, SubmitButton } from '@/form/form';
import { ConflictNote, UnsavedGuard } from '@/form/page-form';
import { useLeave } from '@/form/use-leave';
import { type Conflict, useConflict } from '@/form/use-save';
import { RecordLink, useRecordNavigate } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { FieldLock } from '@/ui/field-lock';
import { Panel } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';
import { StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import { updateUserRolesMutation, type User, userVersionQuery } from './queries';
import { RoleCards, sameRoles } from './roles';
import { UserState, useUser } from './user';

export default function EditUserRolesPage() {
  const { t } = useTranslation('users');
  const { id } = useRouteParams('editUserRoles');
  const result = useUser(id);
  return (
    <PageFrame>
      <UserState result={result} loading={<RolesSkeleton />}>
        {(user) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <Avatar name={user.username} muted={user.status === 'disabled'} />
              <h2 className="-ms-0.5 text-xl font-semibold wrap-anywhere">
                <RecordLink to={routes.viewUser({ id })} className="hover:underline">
                  {user.username}
                </RecordLink>
              </h2>
              <StatusChip kind="user" status={user.status} size={24} />
              {user.displayName && (
                <span className="text-sm text-muted">
                  <span className="sr-only">{t('fields.displayName')}: </span>
                  {user.displayName}
                </span>
              )}
            </div>
            <EditRolesForm key={user.id} user={user} onReload={result.retry} />
          </>
        )}
      </UserState>
    </PageFrame>
  );
}

interface EditRolesFormProps {
  user: User;
  /** Reloads the account. */
  onReload: () => void;
}

function EditRolesForm({ user, onReload }: EditRolesFormProps) {
  const { t } = useTranslation(['users', 'common', 'form']);
  const navigate = useRecordNavigate();
  const { currentUser } = useAuth();
  const [, execute] = useMutation(updateUserRolesMutation);
  const findConflict = useConflict(userVersionQuery);
  const { exit, leave } = useLeave();
  // The account that filled the cards. A newer version of it replaces it as long as nothing was edited.
  const [base, setBase] = useState(user);
  const [roles, setRoles] = useState<readonly string[]>(user.roles);
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<AppError>();
  const [conflict, setConflict] = useState<Conflict>();
  const isChanged = !sameRoles(roles, base.roles);
  if (!isChanged && user.version > base.version) {
    setBase(user);
    setRoles(user.roles);
  }

  const { id, username } = user;
  const isOwn = id === currentUser?.id;
  const isLocked = isOwn && base.roles.includes('admin');

  async function save(event: FormEvent) {
    event.preventDefault();
    if (!isChanged || isSaving) return;
    setSaving(true);
    setFailure(undefined);
    setConflict(undefined);
    const { error } = await execute({ input: { id, version: base.version, roles: [...roles] } });
    if (!error) {
      toast.success(t(isOwn ? 'roles.doneOwn' : 'roles.done', { username }));
      await leave(() => navigate(routes.viewUser({ id })));
      return;
    }
    const failed = normalizeError(error);
    const found = await findConflict(failed, { id }, base.version);
    setConflict(found);
    if (!found) setFailure(failed);
    setSaving(false);
  }

  return (
    <form
      noValidate
      aria-busy={isSaving}
      className="flex max-w-[560px] flex-col gap-4"
      onSubmit={(event) => void save(event)}
    >
      <UnsavedGuard when={isChanged} isSaving={isSaving} exit={exit} />
      {conflict && (
        <ConflictNote
          conflict={conflict}
          onReload={() => {
            setConflict(undefined);
            setRoles(base.roles);
            onReload();
          }}
        />
      )}
      <FormSummary failure={failure} messages={[]} />
      <Panel className="flex flex-col gap-4 p-4">
        <FieldLock isLocked={isSaving}>
          <RoleCards
            roles={roles}
            hint={t('roles.hint')}
            adminLockedBecause={isLocked ? t('roles.ownAdmin') : undefined}
            onChange={setRoles}
          />
        </FieldLock>
        <Note>{t(isOwn ? 'roles.signsOutOwn' : 'roles.signsOut', { username })}</Note>
        <div className="flex gap-2 border-t border-line pt-4">
          <SubmitButton
            busy={isSaving}
            disabled={!isChanged}
            size={36}
            label={t('save', { ns: 'common' })}
            busyLabel={t('saving', { ns: 'form' })}
          />
          <Button asChild size={36}>
            <RecordLink to={routes.viewUser({ id })}>{t('cancel', { ns: 'common' })}</RecordLink>
          </Button>
        </div>
      </Panel>
    </form>
  );
}

function RolesSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="mb-4 flex h-8 items-center gap-3">
        <Skeleton className="size-7 rounded-full" />
        <Skeleton className="h-6 w-32" />
      </div>
      <Panel className="flex max-w-[560px] flex-col gap-3 p-4">
        <Skeleton className="h-3 w-16 rounded-full" />
        {Array.from({ length: 4 }, (_, index) => (
          <Skeleton key={index} className="h-16 rounded-control" />
        ))}
      </Panel>
    </div>
  );
}
