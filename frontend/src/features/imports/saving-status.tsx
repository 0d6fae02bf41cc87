import { useTranslation } from 'react-i18next';
import type { Corrections } from './use-corrections';

/** Says whether corrections are saved. */
export function SavingStatus({ corrections: { saving, typed } }: { corrections: Corrections }) {
  const { t } = useTranslation('imports');
  return (
    <span role="status" className="text-xs text-muted">
      {t(saving ? 'correct.saving' : typed.size > 0 ? 'correct.saved' : 'correct.kept')}
    </span>
  );
}
