import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import type { Corrections } from './use-corrections';

/** Says whether corrections are saved, and lets the user retry if they are not. */
export function SavingStatus({ corrections }: { corrections: Corrections }) {
  const { saving, isUnsaved, typed, settled } = corrections;
  const { t } = useTranslation(['imports', 'common']);
  const sent = typed.size > 0 ? 'correct.saved' : 'correct.kept';
  const mayRetry = isUnsaved && !saving;
  return (
    <span className="flex items-center gap-2 text-xs">
      <span role="status" className={mayRetry ? 'text-bad' : 'text-muted'}>
        {t(saving ? 'correct.saving' : isUnsaved ? 'correct.unsaved' : sent)}
      </span>
      {mayRetry && <Button onClick={() => void settled()}>{t('common:retry')}</Button>}
    </span>
  );
}
