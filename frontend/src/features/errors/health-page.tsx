import { useTranslation } from 'react-i18next';
import { DocumentTitle } from '@/shell/document-title';

export default function HealthPage() {
  const { t } = useTranslation('errors');
  return (
    <main className="p-6">
      <DocumentTitle page={t('health.title')} />
      <h1 className="text-base font-semibold">{t('health.title')}</h1>
      <p>{t('health.ok')}</p>
    </main>
  );
}
