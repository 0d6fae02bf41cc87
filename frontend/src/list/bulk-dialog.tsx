import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Note } from '@/ui/note';
import { ProgressBar } from '@/ui/progress-bar';
import type { BulkDialogProps } from './resource';
import type { BulkResult, BulkRun } from './use-bulk-run';

interface Props extends Omit<BulkDialogProps, 'ids' | 'rows'> {
  title: string;
  /** What the action will do; shown before it is confirmed. */
  description: ReactNode;
  bulk: BulkRun;
  /** Called on close with the number of rows that succeeded. */
  onEnd?: (done: number) => void;
  /** The form that collects the input and starts the run. */
  children: ReactNode;
}

/** Dialog of a bulk action: input, progress, and the result of each row. */
export function BulkDialog({ title, description, bulk, onEnd, onSelect, onClose, children }: Props) {
  const { t } = useTranslation(['list', 'common']);
  const { status, done, total, results, left, again } = bulk;
  const failed = results.filter(({ ok }) => !ok);
  const changed = left.length - again.length;

  function close() {
    if (status === 'running') return;
    // What is left stays selected, so that it can be changed later.
    if (status === 'done') onSelect(left);
    if (results.length > failed.length) onEnd?.(results.length - failed.length);
    onClose();
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
                {again.length > 0 && (
                  <Button onClick={() => void bulk.run(again)}>
                    {t(failed.length > changed ? 'common:retry' : 'bulk.continue')}
                  </Button>
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
        {status === 'done' && <BulkResults results={results} skipped={total - done} isChanged={changed > 0} />}
      </DialogContent>
    </Dialog>
  );
}

interface BulkResultsProps {
  results: readonly BulkResult[];
  /** Number of rows that were not changed because the user stopped the operation. */
  skipped: number;
  /** Whether rows failed because they were changed since they were read. */
  isChanged: boolean;
}

/** The result: how many rows succeeded, and each failed row with its message. */
function BulkResults({ results, skipped, isChanged }: BulkResultsProps) {
  const { t } = useTranslation(['list', 'common']);
  const summary = useRef<HTMLDivElement>(null);
  const failed = results.filter(({ ok }) => !ok);
  const done = results.length - failed.length;

  // Focus the summary, because the button that had the focus was removed.
  useEffect(() => summary.current?.focus(), []);

  const counted = [
    t('bulk.done', { count: done, shown: formatCount(done) }),
    failed.length > 0 && t('bulk.failed', { count: failed.length, shown: formatCount(failed.length) }),
    skipped > 0 && t('bulk.skipped', { count: skipped, shown: formatCount(skipped) }),
  ];
  return (
    <div className="flex flex-col gap-3">
      <Note
        ref={summary}
        tone={failed.length > 0 || skipped > 0 ? 'warn' : 'ok'}
        role="status"
        title={counted.filter(Boolean).join(', ')}
      >
        {(failed.length > 0 || skipped > 0) && <p>{t('bulk.leftSelected')}</p>}
        {isChanged && <p>{t('bulk.changed')}</p>}
      </Note>
      {failed.length > 0 && (
        <ul
          aria-label={t('bulk.failedList')}
          // The list scrolls, so it must be reachable by keyboard.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          className="max-h-72 divide-y divide-line overflow-auto rounded-control border border-line"
        >
          {failed.map(({ deliveryId, text }) => (
            <li key={deliveryId} className="px-3 py-2 text-sm">
              <span className="font-medium tabular-nums wrap-anywhere">{deliveryId}</span>
              <span className="block text-muted">{text ?? t('common:somethingWrong')}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
