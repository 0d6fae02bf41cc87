import { useTranslation } from 'react-i18next';
import { PageFrame } from '@/shell/page-frame';
import { NewSourceForm } from '../components/new-source-form';

export default function NewSourcePage() {
  const { t } = useTranslation('sources');
  return (
    <PageFrame>
      <p className="mb-4 max-w-[560px] text-sm text-muted">{t('new.intro')}</p>
      <NewSourceForm />
    </PageFrame>
  );
}
