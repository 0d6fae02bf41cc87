import { useCallback, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { createRowWindows } from '@/data/row-windows';
import { formatCount } from '@/lib/numbers';
import { useNarrowScreen } from '@/ui/use-narrow-screen';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { ViewTabs } from '@/ui/tabs';
import { CorrectingGrid } from './correcting-grid';
import { type GridRow, reviewRowsQuery, type UploadLog } from './queries';
import { DownloadRefused, RefusedRows } from './refused-rows';
import { ReviewCards } from './review-cards';
import { type ReviewFilter, useReviewFilter } from './use-review-filter';
import { SavingStatus } from './saving-status';
import type { Corrections } from './use-corrections';

interface ReviewRowsProps {
  log: UploadLog;
  corrections: Corrections;
  mayWrite: boolean;
  onCheckAgain: () => void;
}

/** Loads the rows of a checked file with a result. Calls `onMissing` if the server does not keep them any more. */
function useReviewWindows(uploadLog: string, { result }: ReviewFilter, onMissing: () => void) {
  const client = useClient();
  return useMemo(
    () =>
      createRowWindows<GridRow>(async (offset, limit) => {
        const variables = { uploadLog, result, offset, limit };
        const answer = client.query(reviewRowsQuery, variables, { requestPolicy: 'network-only' });
        const { data, error } = await answer.toPromise();
        if (!data) throw error ?? new Error('no rows');
        const { rows, total, kept } = data.reviewRows;
        if (!kept) onMissing();
        return { rows, total };
      }),
    [client, uploadLog, result, onMissing],
  );
}

/** Every row of a checked file, the wrong ones first, to be corrected before the import. */
export function ReviewRows(props: ReviewRowsProps) {
  const { log, mayWrite, onCheckAgain } = props;
  const { t } = useTranslation('imports');
  const [isMissing, setMissing] = useState(false);
  const onMissing = useCallback(() => setMissing(true), []);
  if (!isMissing) return <Rows {...props} onMissing={onMissing} />;
  return (
    <>
      <Note
        tone="info"
        title={t('review.notKept.title')}
        action={mayWrite && <Button onClick={onCheckAgain}>{t('check.again')}</Button>}
      >
        <p>{t('review.notKept.text')}</p>
      </Note>
      {log.rowsFailed > 0 && <RefusedRows log={log} />}
    </>
  );
}

function Rows(props: ReviewRowsProps & { onMissing: () => void }) {
  const { log, corrections, mayWrite, onMissing } = props;
  const { t } = useTranslation('imports');
  const id = useId();
  const narrow = useNarrowScreen();
  const { filter, tabs } = useReviewFilter(log);
  const windows = useReviewWindows(log.id, filter, onMissing);
  const [isReplacing, setReplacing] = useState(false);
  const empty = <StateView kind="empty" title={t('review.none')} />;
  return (
    <Panel className="overflow-hidden">
      <PanelHead
        id={id}
        title={t('review.title')}
        note={t('refused.count', { count: log.rowsTotal, shown: formatCount(log.rowsTotal) })}
        tools={
          <div className="flex flex-wrap items-center justify-end gap-2">
            {mayWrite && !narrow && <SavingStatus corrections={corrections} />}
            {log.rowsFailed > 0 && <DownloadRefused log={log} corrections={corrections} />}
            {mayWrite && !narrow && (
              <Button onClick={() => setReplacing(true)}>{t('correct.replace.title')}</Button>
            )}
          </div>
        }
      />
      <ViewTabs preventScrollReset label={t('review.filter')} tabs={tabs} current={filter.name} className="px-2" />
      {narrow ? (
        <ReviewCards labelledBy={id} log={log} filter={filter} onMissing={onMissing} />
      ) : (
        <>
          {mayWrite && <p className="px-4 py-2 text-xs text-muted">{t('review.hint')}</p>}
          <CorrectingGrid
            key={filter.name}
            labelledBy={id}
            log={log}
            windows={windows}
            corrections={corrections}
            hasMessages={filter.name === 'refused'}
            isReadOnly={!mayWrite}
            isReplacing={isReplacing}
            onReplaced={() => setReplacing(false)}
            empty={empty}
          />
        </>
      )}
    </Panel>
  );
}
