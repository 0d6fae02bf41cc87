import { useTranslation } from 'react-i18next';

/** Sets the document title: page title, then app title. */
export function DocumentTitle({ page }: { page: string }) {
  const { t } = useTranslation('common');
  return <title>{t('documentTitle', { page, app: t('appName') })}</title>;
}
