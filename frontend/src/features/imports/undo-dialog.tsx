import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { previewUndo, startUndo, type UndoCounts } from '@/data/web-actions';
import { formatCount } from '@/lib/numbers';
import { newUuid } from '@/lib/uuid';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Note } from '@/ui/note';
import { StateView } from '@/ui/state-view';
import type { UploadLog } from './queries';

interface UndoDialogProps {
  log: UploadLog;
  onStarted: () => void;
  onClose: () => void;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Counts what an undo would change, then asks for confirmation. */
export function UndoDialog({ log, onStarted, onClose }: UndoDialogProps) {
  const { t } = useTranslation(['imports', 'common']);
  const { getToken } = useAuth();
  const [counts, setCounts] = useState<UndoCounts>();
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  // Idempotency key of this dialog: a double click starts one undo.
  const key = useRef(newUuid());

  const count = useCallback(
    async (signal?: AbortSignal) => {
      setFailure(undefined);
      try {
        const found = await previewUndo(log.id, { getToken, ...(signal && { signal }) });
        if (!signal?.aborted) setCounts(found);
      } catch (error) {
        if (!signal?.aborted) setFailure(textOf(error));
      }
    },
    [getToken, log.id],
  );
  useEffect(() => {
    const control = new AbortController();
    void count(control.signal);
    return () => control.abort();
  }, [count]);

  async function undo() {
    if (busy || !counts) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await startUndo(log.id, key.current, { getToken });
      onStarted();
      onClose();
    } catch (error) {
      setFailure(textOf(error));
      setBusy(false);
    }
  }

  return (
    <Dialog open onOpenChange={() => !busy && onClose()}>
      <DialogContent
        role="alertdialog"
        title={t('undo.question')}
        description={t('undo.questionText', { name: log.filename })}
        footer={
          <>
            <Button disabled={busy} onClick={onClose}>
              {t('common:cancel')}
            </Button>
            {counts ? (
              <Button
                variant="danger"
                disabled={busy || counts.reversed === 0}
                onClick={() => void undo()}
              >
                {t(busy ? 'undo.starting' : 'undo.action')}
              </Button>
            ) : (
              failure !== undefined && (
                <Button variant="primary" onClick={() => void count()}>
                  {t('common:retry')}
                </Button>
              )
            )}
          </>
        }
      >
        {failure !== undefined && (
          <Note tone="bad" role="alert">
            {failure}
          </Note>
        )}
        {counts && <Counts counts={counts} />}
        {!counts && failure === undefined && (
          <StateView kind="loading" title={t('undo.counting')} />
        )}
      </DialogContent>
    </Dialog>
  );
}

function Counts({ counts }: { counts: UndoCounts }) {
  const { t } = useTranslation('imports');
  return (
    <dl className="flex flex-col gap-2 text-sm">
      {(['reversed', 'kept', 'failed'] as const).map((name) => (
        <div key={name} className="flex justify-between gap-4">
          <dt className="text-muted">{t(`undo.expected.${name}`)}</dt>
          <dd className="font-semibold tabular-nums">{formatCount(counts[name])}</dd>
        </div>
      ))}
    </dl>
  );
}
