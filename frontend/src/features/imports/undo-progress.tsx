import { useTranslation } from 'react-i18next';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { formatCount } from '@/lib/numbers';
import { Panel } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { CancelUpload } from './cancel-upload';
import type { UploadLog } from './queries';

/** Progress of an undo. */
export function UndoProgress({ log }: { log: UploadLog }) {
  const { t } = useTranslation('imports');
  const { hasRole } = useAuth();
  const { reversed = 0, kept = 0, errored = 0, total = 0 } = log.undoReport ?? {};
  const done = reversed + kept + errored;
  return (
    <Panel aria-label={t('undo.progress.title')} className="p-4">
      <p role="status" className="text-sm font-medium">
        {t('undo.progress.title')}
      </p>
      <ProgressBar
        className="mt-2"
        label={t('undo.progress.title')}
        value={total > 0 ? Math.min(done / total, 1) : undefined}
      />
      <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
        <p className="text-xs text-muted tabular-nums">
          {t('undo.progress.text', { done: formatCount(done), count: total, shown: formatCount(total) })}
        </p>
        {hasRole(WRITE_ROLES) && <CancelUpload log={log} label={t('undo.cancel')} />}
      </div>
    </Panel>
  );
}
