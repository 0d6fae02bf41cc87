import { useTranslation } from 'react-i18next';

/** Which form a delivery has, if any. */
export function VersionText({ version }: { version: number }) {
  const { t } = useTranslation('forms');
  if (version === 0) return <span className="text-muted">{t('noneYet')}</span>;
  return t('version', { version });
}
