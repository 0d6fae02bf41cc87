import { RefreshCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import type { BulkDialogProps } from '@/list/resource';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Note } from '@/ui/note';
import { ProgressBar } from '@/ui/progress-bar';
import { usePaper } from '../use-paper';
import { useZipDownload } from '../use-zip-download';
import { PaperSwitch } from './paper-switch';
import { ZipResultNote } from './zip-result';

/** The forms of the selected deliveries as one ZIP of PDFs. */
export function DownloadDialog({ ids, onSelect, onClose }: BulkDialogProps) {
  const { t } = useTranslation(['forms', 'common']);
  const [paper, setPaper] = usePaper();
  const { state, start, cancel } = useZipDownload(paper);
  const failed = state.status === 'done' ? state.result.failed : [];

  function close() {
    // What is on its way is called off by its own button only.
    if (state.status === 'running') return;
    if (state.status === 'done' && failed.length === 0) onSelect([]);
    onClose();
  }

  const again = (wanted: readonly string[]) => (
    <Button icon={RefreshCw} onClick={() => void start(wanted)}>
      {t('retry', { ns: 'common' })}
    </Button>
  );

  return (
    <Dialog open onOpenChange={close}>
      <DialogContent
        title={t('zip.title')}
        description={
          state.status === 'asking' &&
          t('zip.text', { count: ids.length, shown: formatCount(ids.length) })
        }
        width={560}
        staysOpen
        footer={
          <>
            {state.status === 'asking' && (
              <>
                <Button onClick={close}>{t('cancel', { ns: 'common' })}</Button>
                <Button variant="primary" onClick={() => void start(ids)}>
                  {t('zip.start')}
                </Button>
              </>
            )}
            {state.status === 'running' && (
              <Button onClick={cancel}>{t('cancel', { ns: 'common' })}</Button>
            )}
            {state.status === 'broken' && again(state.ids)}
            {failed.length > 0 && again(failed.map(({ deliveryId }) => deliveryId))}
            {(state.status === 'done' || state.status === 'broken') && (
              <Button variant="primary" onClick={close}>
                {t('close', { ns: 'common' })}
              </Button>
            )}
          </>
        }
      >
        {state.status === 'asking' && (
          <div className="flex items-center gap-3">
            <span aria-hidden className="text-sm font-medium">
              {t('paper.title')}
            </span>
            <PaperSwitch paper={paper} onChange={setPaper} />
          </div>
        )}
        {state.status === 'running' && (
          <div className="flex flex-col gap-2">
            <ProgressBar label={t('zip.title')} value={state.done / state.total} />
            <p role="status" className="text-sm text-muted tabular-nums">
              {t('zip.progress', {
                done: formatCount(state.done),
                total: formatCount(state.total),
              })}
            </p>
          </div>
        )}
        {state.status === 'done' && <ZipResultNote result={state.result} />}
        {state.status === 'broken' && (
          <Note tone="bad" role="alert" title={t('zip.broken')}>
            {state.message}
          </Note>
        )}
      </DialogContent>
    </Dialog>
  );
}
