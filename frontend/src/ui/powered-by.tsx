import { useTranslation } from 'react-i18next';
import { LogoMark } from './logo-mark';

export function PoweredBy() {
  const { t } = useTranslation('common');
  return (
    <p className="flex items-center gap-1.5 text-caps text-muted">
      {t('poweredBy')}
      <LogoMark size={13} />
      <span className="font-semibold tracking-[-0.022em] text-fg">{t('appName')}</span>
    </p>
  );
}
