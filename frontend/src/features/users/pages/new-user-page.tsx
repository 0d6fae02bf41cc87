import { useTranslation } from 'react-i18next';
import { PageFrame } from '@/shell/page-frame';
import { NewUserForm } from '../components/new-user-form';

export default function NewUserPage() {
  const { t } = useTranslation('users');
  return (
    <PageFrame>
      <p className="mb-4 max-w-[560px] text-sm text-muted">{t('new.intro')}</p>
      <NewUserForm />
    </PageFrame>
  );
}
