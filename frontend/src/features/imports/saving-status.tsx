import { useTranslation } from 'react-i18next';
import { UnsavedGuard } from '@/form/page-form';
import { Button } from '@/ui/button';
import type { Corrections } from './use-corrections';

/** Says whether corrections are saved. If they are not, lets the user retry, and asks before the page is left. */
export function SavingStatus({ corrections }: { corrections: Corrections }) {
  const { saving, isUnsaved, typed, settled } = corrections;
  const { t } = useTranslation(['imports', 'common']);
  const sent = typed.size > 0 ? 'correct.saved' : 'correct.kept';
  return (
    <span className="flex items-center gap-2 text-xs">
      <UnsavedGuard ignoreQuery when={isUnsaved} isSaving={saving} />
      <span role="status" className={isUnsaved && !saving ? 'text-bad' : 'text-muted'}>
        {t(saving ? 'correct.saving' : isUnsaved ? 'correct.unsaved' : sent)}
      </span>
      {/* Stays while it retries, to keep the focus. */}
      {isUnsaved && (
        <Button disabled={saving} onClick={() => void settled()}>
          {t('common:retry')}
        </Button>
      )}
    </span>
  );
}
