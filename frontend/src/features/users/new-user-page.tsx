import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { CreateForm } from '@/form/record-form';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { toast } from '@/ui/toast';
import { createUserMutation } from './queries';
import { newUserForm } from './user-form';

export default function NewUserPage() {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  const [, execute] = useMutation(createUserMutation);
  return (
    <PageFrame>
      <p className="mb-4 max-w-[560px] text-sm text-muted">{t('new.intro')}</p>
      <CreateForm
        label={t('new.create')}
        busyLabel={t('new.creating')}
        definition={newUserForm}
        create={(input) => execute({ input })}
        onCreated={({ createUser: { id, username } }) => {
          toast.success(t('new.done', { username }));
          // On the user's page, the invitation link can be created.
          return () => navigate(routes.viewUser({ id }));
        }}
        cancelTo={routes.adminUsers()}
      />
    </PageFrame>
  );
}
