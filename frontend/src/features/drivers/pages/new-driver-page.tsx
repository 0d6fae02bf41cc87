import { useTranslation } from 'react-i18next';
import { PageFrame } from '@/shell/page-frame';
import { NewDriverForm } from '../components/new-driver-form';

export default function NewDriverPage() {
  const { t } = useTranslation('drivers');
  return (
    <PageFrame>
      <p className="mb-4 max-w-[720px] text-sm text-muted">{t('new.intro')}</p>
      <NewDriverForm />
    </PageFrame>
  );
}
