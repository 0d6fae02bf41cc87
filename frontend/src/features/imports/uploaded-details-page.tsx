import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { QueryState } from '@/data/query-state';
import { useNarrowScreen } from '@/ui/use-narrow-screen';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { useFocusFallback } from '@/ui/use-focus-fallback';
import { CheckResult } from './check-result';
import { CorrectionProgress, CorrectRows } from './correct-rows';
import { DetailsHeader } from './details-header';
import { ImportFacts } from './import-facts';
import { ImportOutcome } from './import-outcome';
import { ImportRunning } from './import-running';
import { ImportSteps } from './import-steps';
import { ImportWarnings } from './import-warnings';
import { MatchColumns } from './match-columns';
import { ImportedValues } from './matched-values';
import type { UploadLog } from './queries';
import { RefusedRows } from './refused-rows';
import { UndoPanel } from './undo-panel';
import { UndoProgress } from './undo-progress';
import { UndoResult } from './undo-result';
import { isBusy, isCanceledEmpty, isRunning } from './upload-status';
import { useOutcomeText } from './use-outcome-text';
import { useUploadLog } from './use-upload-log';

/** Shows refused rows as an editable grid if the user may correct them and the screen is wide, and else as a list. */
function Refused(props: { log: UploadLog; onStarted: () => void }) {
  const { hasRole } = useAuth();
  const narrow = useNarrowScreen();
  const correctable = props.log.status === 'imported_with_errors' && hasRole(WRITE_ROLES) && !narrow;
  return correctable ? <CorrectRows {...props} /> : <RefusedRows log={props.log} />;
}

interface DetailsProps {
  log: UploadLog;
  /** Whether the log couldn't be read again. */
  isStale: boolean;
  onChanged: () => void;
}

/** An import that runs or has a result. */
function Details({ log, isStale, onChanged }: DetailsProps) {
  const { t } = useTranslation(['imports', 'common']);
  const { hasRole } = useAuth();
  const isChecked = log.status === 'validated';
  return (
    <>
      <DetailsHeader log={log} />
      <ImportSteps log={log} className="mb-4" />
      {isStale && (
        <Note tone="warn" role="status" className="mb-4" title={t('details.stale')} />
      )}
      {/* The rows of a checked file need the whole width. */}
      <div className={cn('grid items-start gap-4', !isChecked && 'lg:grid-cols-[minmax(0,1fr)_300px]')}>
        <div className="flex min-w-0 flex-col gap-4">
          {log.status === 'failed' && (
            <Note
              tone="bad"
              role="alert"
              title={log.failureText ?? t('common:somethingWrong')}
            >
              {!isCanceledEmpty(log) && <p>{t('details.failedHint')}</p>}
              {log.failureCode && (
                <p className="mt-1 text-xs text-muted">{log.failureCode}</p>
              )}
            </Note>
          )}
          {log.status === 'imported_with_errors' && log.failureText && (
            <Note tone="bad" role="alert" title={t('correct.failed')}>
              <p>{log.failureText}</p>
            </Note>
          )}
          {log.status === 'undoing' && <UndoProgress log={log} />}
          {log.status !== 'undoing' && log.undoReport && <UndoResult log={log} />}
          {isChecked && <CheckResult key={`check ${log.finishedAt}`} log={log} onStarted={onChanged} />}
          {isRunning(log.status) && <ImportRunning log={log} />}
          {log.status === 'needs_mapping' && (
            <Note tone="info" title={t('mapping.waits')} />
          )}
          {!isRunning(log.status) && log.status !== 'needs_mapping' && (
            <ImportOutcome log={log} />
          )}
          {hasRole(WRITE_ROLES) && !isBusy(log.status) && !isChecked && log.valuesToMatch > 0 && (
            <ImportedValues log={log} />
          )}
          {!isRunning(log.status) && log.warnings > 0 && <ImportWarnings log={log} />}
          {log.status === 'correcting' && <CorrectionProgress log={log} />}
          {!isBusy(log.status) && !isChecked && log.rowsFailed > 0 && (
            // Remount after each import of corrected rows, since the rows change.
            <Refused key={`refused ${log.finishedAt}`} log={log} onStarted={onChanged} />
          )}
        </div>
        <div className={cn('flex min-w-0 flex-col gap-4', isChecked && 'md:w-96')}>
          {log.undoAllowed && <UndoPanel log={log} onStarted={onChanged} />}
          <ImportFacts log={log} />
        </div>
      </div>
    </>
  );
}

export default function UploadedDetailsPage() {
  const { t } = useTranslation(['imports', 'common']);
  const { hasRole } = useAuth();
  const { uploadLog } = useRouteParams('uploadedDetails');
  const { value: log, error, status, retry, refresh } = useUploadLog(uploadLog);
  const said = useOutcomeText(log);
  const page = useFocusFallback<HTMLDivElement>((container) => container.querySelector('h2'));
  const again = (
    <Button asChild variant="primary" size={36}>
      <Link to={routes.uploadDeliveries()}>{t('details.again')}</Link>
    </Button>
  );

  return (
    <PageFrame>
      <p role="status" className="sr-only">
        {said}
      </p>
      <div ref={page} className="flex min-w-0 flex-1 flex-col">
        <QueryState
          value={log}
          error={error}
          status={status}
          onRetry={retry}
          loading={<StateView kind="loading" title={t('common:loading')} />}
          empty={
            <Panel>
              <StateView
                kind="no-match"
                title={t('details.notFound.title')}
                text={t('details.notFound.text')}
                actions={again}
              />
            </Panel>
          }
        >
          {(found) =>
            found.status === 'needs_mapping' && hasRole(WRITE_ROLES) ? (
              <MatchColumns key={found.id} log={found} onSaved={refresh} />
            ) : (
              <Details key={found.id} log={found} isStale={Boolean(error)} onChanged={refresh} />
            )
          }
        </QueryState>
      </div>
    </PageFrame>
  );
}
