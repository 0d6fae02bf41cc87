import { useCallback, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useMutation } from 'urql';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { normalizeError } from '@/data/errors';
import { createRowWindows } from '@/data/row-windows';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { toast } from '@/ui/toast';
import { CancelUpload } from './cancel-upload';
import { CorrectingGrid } from './correcting-grid';
import { PausedNote } from './paused-note';
import { correctableRowsQuery, type GridRow, importCorrectedRowsMutation, type UploadLog } from './queries';
import { DownloadRefused } from './refused-rows';
import { SavingStatus } from './saving-status';
import { type Corrections, useCorrections } from './use-corrections';

interface CorrectRowsProps {
  log: UploadLog;
  onStarted: () => void;
}

/** The refused rows of an import. Reads them anew, since another tab may have corrected or imported some. */
function useRefusedRows(uploadLog: string) {
  const client = useClient();
  return useMemo(
    () =>
      createRowWindows<GridRow>(async (offset, limit) => {
        const sort = [{ key: 'rowNumber', direction: 'asc' as const }];
        const variables = { uploadLog, page: { sort, limit, offset } };
        const answer = client.query(correctableRowsQuery, variables, { requestPolicy: 'network-only' });
        const { data, error } = await answer.toPromise();
        if (!data) throw error ?? new Error('no rows');
        return { rows: data.uploadRows, total: data.uploadRowsCount.total };
      }),
    [client, uploadLog],
  );
}

/** A grid to correct refused rows. Each edit is saved immediately. */
export function CorrectRows({ log, onStarted }: CorrectRowsProps) {
  const { t } = useTranslation('imports');
  const id = useId();
  const windows = useRefusedRows(log.id);
  const corrections = useCorrections(log.id);
  const [isReplacing, setReplacing] = useState(false);
  return (
    <Panel className="overflow-hidden">
      <PanelHead
        id={id}
        line
        title={t('refused.title')}
        note={t('refused.count', { count: log.rowsFailed, shown: formatCount(log.rowsFailed) })}
        tools={
          <div className="flex flex-wrap items-center justify-end gap-2">
            <SavingStatus corrections={corrections} />
            <DownloadRefused log={log} corrections={corrections} />
            <Button onClick={() => setReplacing(true)}>{t('correct.replace.title')}</Button>
            <ImportCorrected log={log} corrections={corrections} onStarted={onStarted} />
          </div>
        }
      />
      <PausedNote className="mx-4 mt-3" />
      <p className="px-4 py-2 text-xs text-muted">{t('correct.hint')}</p>
      <CorrectingGrid
        labelledBy={id}
        log={log}
        windows={windows}
        corrections={corrections}
        hasMessages
        isReplacing={isReplacing}
        onReplaced={useCallback(() => setReplacing(false), [])}
        empty={null}
      />
    </Panel>
  );
}

/** Progress of importing corrected rows. */
export function CorrectionProgress({ log }: { log: UploadLog }) {
  const { t } = useTranslation('imports');
  const { hasRole } = useAuth();
  return (
    <Panel aria-label={t('correct.running')} className="p-4">
      <p role="status" className="text-sm font-medium">
        {t('correct.running')}
      </p>
      <ProgressBar className="mt-2" label={t('correct.running')} value={undefined} />
      <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
        <p className="text-xs text-muted tabular-nums">
          {t('correct.runningText', { count: log.rowsFailed, shown: formatCount(log.rowsFailed) })}
        </p>
        {hasRole(WRITE_ROLES) && <CancelUpload log={log} label={t('correct.cancel')} />}
      </div>
    </Panel>
  );
}

interface ImportCorrectedProps extends CorrectRowsProps {
  corrections: Corrections;
}

function ImportCorrected({ log, corrections, onStarted }: ImportCorrectedProps) {
  const { t } = useTranslation('imports');
  const [, execute] = useMutation(importCorrectedRowsMutation);
  const [busy, setBusy] = useState(false);

  async function start() {
    setBusy(true);
    const saved = await corrections.settled();
    const error = saved ? (await execute({ input: { id: log.id } })).error : undefined;
    setBusy(false);
    if (error) toast.error(normalizeError(error).message);
    else if (saved) onStarted();
  }

  return (
    <Button variant="primary" disabled={busy} onClick={() => void start()}>
      {t(busy ? 'correct.starting' : 'correct.start')}
    </Button>
  );
}
