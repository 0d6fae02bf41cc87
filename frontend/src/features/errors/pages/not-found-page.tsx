import { useTranslation } from 'react-i18next';
import { DocumentTitle } from '@/navigation/document-title';
import { NotFound } from '../components/not-found';

export default function NotFoundPage() {
  const { t } = useTranslation('errors');
  return (
    <main className="flex min-h-dvh flex-col">
      <DocumentTitle page={t('notFound.title')} />
      <NotFound as="h1" />
    </main>
  );
}
