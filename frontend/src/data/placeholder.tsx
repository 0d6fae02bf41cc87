import { useTranslation } from 'react-i18next';

/** One word in the place of a value: there is none, it could not be read, or it is on its way. */
export function Placeholder({ kind }: { kind: 'empty' | 'error' | 'loading' }) {
  const { t } = useTranslation('common');
  return <span className="text-muted">{t(`placeholder.${kind}`)}</span>;
}
