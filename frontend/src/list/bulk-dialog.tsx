import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { ProgressBar } from '@/ui/progress-bar';
import { BulkResults } from './bulk-results';
import type { BulkDialogProps } from './resource';
import type { BulkRun } from './use-bulk-run';

interface Props extends Omit<BulkDialogProps, 'ids' | 'rows'> {
  title: string;
  /** What it will do, said before it is asked for. */
  description: ReactNode;
  bulk: BulkRun;
  /** Told how many were done once it closes. */
  onEnd?: (done: number) => void;
  /** The form that asks for what must be known and starts the run. */
  children: ReactNode;
}

/** The frame of what is done to many: asks, shows how far it is, and what came of each. */
export function BulkDialog({ title, description, bulk, onEnd, onSelect, onClose, children }: Props) {
  const { t } = useTranslation('list');
  const { status, done, total, results } = bulk;
  const failed = results.filter(({ ok }) => !ok);

  function leave() {
    if (results.length > failed.length) onEnd?.(results.length - failed.length);
    onClose();
  }

  function close() {
    if (status === 'running') return;
    if (status === 'done' && failed.length === 0) onSelect([]);
    leave();
  }

  const progress = t('bulk.progress', { done: formatCount(done), total: formatCount(total) });
  return (
    <Dialog open onOpenChange={close}>
      <DialogContent
        title={title}
        description={status === 'asking' ? description : undefined}
        width={560}
        staysOpen
        footer={
          status === 'running' ? (
            <Button onClick={bulk.stop}>{t('bulk.stop')}</Button>
          ) : (
            status === 'done' && (
              <>
                {failed.length > 0 && (
                  <>
                    <Button
                      onClick={() => {
                        onSelect(failed.map(({ deliveryId }) => deliveryId));
                        leave();
                      }}
                    >
                      {t('bulk.selectFailed')}
                    </Button>
                    <Button onClick={() => void bulk.run(failed.map(({ deliveryId }) => deliveryId))}>
                      {t('common:retry')}
                    </Button>
                  </>
                )}
                <Button variant="primary" onClick={close}>
                  {t('common:close')}
                </Button>
              </>
            )
          )
        }
      >
        {status === 'asking' && children}
        {status === 'running' && (
          <div className="flex flex-col gap-2">
            <ProgressBar label={title} value={total > 0 ? done / total : undefined} />
            <p role="status" className="text-sm text-muted tabular-nums">
              {progress}
            </p>
          </div>
        )}
        {status === 'done' && <BulkResults results={results} skipped={total - done} />}
      </DialogContent>
    </Dialog>
  );
}
