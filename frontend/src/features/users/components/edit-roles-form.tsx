import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { type AppError, normalizeError } from '@/data/errors';
import { FormSummary } from '@/form/form-summary';
import { SubmitButton } from '@/form/submit-button';
import { UnsavedGuard } from '@/form/unsaved-guard';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { toast } from '@/ui/toast';
import { type User, updateUserRolesMutation } from '../queries';
import { sameRoles } from '../roles';
import { type Conflict, useConflict } from '../use-conflict';
import { ConflictNote } from './conflict-note';
import { RoleCards } from './role-cards';

interface EditRolesFormProps {
  user: User;
  /** Reads the account anew. */
  onReload: () => void;
}

export function EditRolesForm({ user, onReload }: EditRolesFormProps) {
  const { t } = useTranslation(['users', 'common', 'form']);
  const navigate = useNavigate();
  const { currentUser } = useAuth();
  const [, execute] = useMutation(updateUserRolesMutation);
  const findConflict = useConflict();
  // The account the cards were filled from; a newer one takes its place while nothing is changed.
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
      await navigate(routes.viewUser({ id }));
      return;
    }
    const failed = normalizeError(error);
    const found = await findConflict(failed, base);
    setConflict(found);
    if (!found) setFailure(failed);
    setSaving(false);
  }

  return (
    <form
      noValidate
      className="flex max-w-[560px] flex-col gap-4"
      onSubmit={(event) => void save(event)}
    >
      <UnsavedGuard when={isChanged && !isSaving} />
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
        <RoleCards
          roles={roles}
          hint={t('roles.hint')}
          adminLockedBecause={isLocked ? t('roles.ownAdmin') : undefined}
          onChange={setRoles}
        />
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
            <Link to={routes.viewUser({ id })}>{t('cancel', { ns: 'common' })}</Link>
          </Button>
        </div>
      </Panel>
    </form>
  );
}
