import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { QueryState } from '@/data/query-state';
import { useNarrowScreen } from '@/list/use-narrow-screen';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { CheckResult } from './check-result';
import { CorrectionProgress, CorrectRows } from './correct-rows';
import { DetailsHeader } from './details-header';
import { ImportFacts } from './import-facts';
import { ImportOutcome } from './import-outcome';
import { ImportRunning } from './import-running';
import { ImportWarnings } from './import-warnings';
import { MatchColumns } from './match-columns';
import type { UploadLog } from './queries';
import { RefusedRows } from './refused-rows';
import { UndoPanel } from './undo-panel';
import { UndoProgress } from './undo-progress';
import { UndoResult } from './undo-result';
import { isBusy, isRunning } from './upload-status';
import { useUploadLog } from './use-upload-log';

/** Lets users match the columns. Users without import rights only see that columns have to be matched. */
function Mapping(props: { log: UploadLog; onSaved: () => void }) {
  const { t } = useTranslation('imports');
  const { hasRole } = useAuth();
  return hasRole(WRITE_ROLES) ? (
    <MatchColumns {...props} />
  ) : (
    <Note tone="info" title={t('mapping.waits')} />
  );
}

/** Shows refused rows as an editable grid if the user may correct them and the screen is wide, and else as a list. */
function Refused(props: { log: UploadLog; onStarted: () => void }) {
  const { hasRole } = useAuth();
  const narrow = useNarrowScreen();
  const correctable = props.log.status === 'imported_with_errors' && hasRole(WRITE_ROLES) && !narrow;
  return correctable ? <CorrectRows {...props} /> : <RefusedRows log={props.log} />;
}

export default function UploadedDetailsPage() {
  const { t } = useTranslation(['imports', 'common']);
  const { uploadLog } = useRouteParams('uploadedDetails');
  const { log, error, retry } = useUploadLog(uploadLog);
  const again = (
    <Button asChild variant="primary" size={36}>
      <Link to={routes.uploadDeliveries()}>{t('details.again')}</Link>
    </Button>
  );

  return (
    <PageFrame>
      <QueryState
        value={log}
        error={error}
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
        {(found) => (
          <>
            <DetailsHeader log={found} />
            {error && (
              <Note tone="warn" role="status" className="mb-4" title={t('details.stale')} />
            )}
            <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_284px]">
              <div className="flex min-w-0 flex-col gap-4">
                {found.status === 'failed' && (
                  <Note
                    tone="bad"
                    role="alert"
                    title={found.failureText ?? t('common:somethingWrong')}
                  >
                    <p>{t('details.failedHint')}</p>
                    {found.failureCode && (
                      <p className="mt-1 text-xs text-muted">{found.failureCode}</p>
                    )}
                  </Note>
                )}
                {found.status === 'imported_with_errors' && found.failureText && (
                  <Note tone="bad" role="alert" title={t('correct.failed')}>
                    <p>{found.failureText}</p>
                  </Note>
                )}
                {found.status === 'undoing' && <UndoProgress log={found} />}
                {found.status !== 'undoing' && found.undoReport && <UndoResult log={found} />}
                {found.status === 'validated' && <CheckResult log={found} onStarted={retry} />}
                {isRunning(found.status) && <ImportRunning log={found} />}
                {found.status === 'needs_mapping' && <Mapping log={found} onSaved={retry} />}
                {!isRunning(found.status) && found.status !== 'needs_mapping' && (
                  <ImportOutcome log={found} />
                )}
                {!isRunning(found.status) && found.warnings > 0 && <ImportWarnings log={found} />}
                {found.status === 'correcting' && <CorrectionProgress log={found} />}
                {!isBusy(found.status) && found.rowsFailed > 0 && (
                  // Remount after each import of corrected rows, since the rows change.
                  <Refused key={found.finishedAt} log={found} onStarted={retry} />
                )}
              </div>
              <div className="flex min-w-0 flex-col gap-4">
                {found.undoAllowed && <UndoPanel log={found} onStarted={retry} />}
                <ImportFacts log={found} />
              </div>
            </div>
          </>
        )}
      </QueryState>
    </PageFrame>
  );
}
