import { Columns3, RefreshCw } from 'lucide-react';
import { useCallback, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { type CombinedError, useMutation, useQuery } from 'urql';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { normalizeError } from '@/data/errors';
import { QueryState } from '@/data/query-state';
import { usePreviousData } from '@/data/use-record';
import { ChangedValue } from '@/domain/changed-value';
import { useNameOf } from '@/i18n/texts';
import { formatCount } from '@/lib/numbers';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { Table } from '@/ui/table';
import { toast } from '@/ui/toast';
import { DiscardImport } from './discard-import';
import { MatchValues } from './match-values';
import { PausedNote } from './paused-note';
import {
  checkImportAgainMutation,
  chooseImportColumnsMutation,
  commitUploadMutation,
  uploadChangesQuery,
  type UploadChange,
  type UploadLog,
} from './queries';
import { ReviewRows } from './review-rows';
import { useCorrections } from './use-corrections';
import { useMatchedValues } from './use-matched-values';

const MOST = 100;
const context = { additionalTypenames: ['UploadChange'] };

interface CheckResultProps {
  log: UploadLog;
  onStarted: () => void;
}

/** Result of a check, with a button to import the file. */
export function CheckResult({ log, onStarted }: CheckResultProps) {
  const { t } = useTranslation('imports');
  const { hasRole } = useAuth();
  const [, execute] = useMutation(commitUploadMutation);
  const [busy, setBusy] = useState(false);
  const [isOutdated, setOutdated] = useState(false);
  const rows = log.rowsCreated + log.rowsUpdated;

  const [, reopen] = useMutation(chooseImportColumnsMutation);
  const [, checkAgain] = useMutation(checkImportAgainMutation);
  const mayWrite = hasRole(WRITE_ROLES);
  const { changedSinceCheck } = log;
  const offersCheck = changedSinceCheck || isOutdated;
  const reload = useCallback(() => {
    if (!changedSinceCheck) onStarted();
  }, [changedSinceCheck, onStarted]);
  const matched = useMatchedValues(log, mayWrite, reload);
  const corrections = useCorrections(log.id, reload);

  async function run(change: () => Promise<{ error?: CombinedError | undefined }>) {
    setBusy(true);
    const saved = await Promise.all([matched.settled(), corrections.settled()]);
    if (saved.includes(false)) return setBusy(false);
    const { error } = await change();
    setBusy(false);
    if (!error) {
      setOutdated(false);
      return onStarted();
    }
    const { message, reason } = normalizeError(error);
    if (reason === 'TIME_ZONE_CHANGED') setOutdated(true);
    toast.error(message);
  }

  return (
    <>
      {mayWrite && <PausedNote />}
      <Note
        tone="info"
        title={t('check.nothingYet')}
        action={
          mayWrite && (
            <Button
              variant={offersCheck ? 'default' : 'primary'}
              disabled={busy || (rows === 0 && !log.changedSinceCheck)}
              onClick={() => void run(() => execute({ input: { id: log.id } }))}
            >
              {t(busy ? 'check.starting' : 'check.start')}
            </Button>
          )
        }
      >
        <p>
          {rows === 0
            ? t('check.nothingToImport')
            : t('check.ready', { count: rows, shown: formatCount(rows) })}
        </p>
        {log.changedSinceCheck && <p className="mt-1">{t('check.changed')}</p>}
        {mayWrite && (
          <div className="mt-2 flex flex-wrap gap-2">
            {offersCheck && (
              <Button
                variant="primary"
                icon={RefreshCw}
                disabled={busy}
                onClick={() => void run(() => checkAgain({ input: { id: log.id } }))}
              >
                {t('check.again')}
              </Button>
            )}
            <Button
              icon={Columns3}
              disabled={busy}
              onClick={() => void run(() => reopen({ input: { uploadLog: log.id } }))}
            >
              {t('check.readOtherwise')}
            </Button>
            <DiscardImport log={log} disabled={busy} onDiscarded={onStarted} />
          </div>
        )}
      </Note>
      {mayWrite && log.valuesToMatch > 0 && <MatchValues matched={matched} />}
      {log.rowsTotal > 0 && (
        <ReviewRows
          log={log}
          corrections={corrections}
          mayWrite={mayWrite}
          onCheckAgain={() => void run(() => checkAgain({ input: { id: log.id } }))}
        />
      )}
      {log.rowsUpdated > 0 && <Changes log={log} />}
    </>
  );
}

function Changes({ log }: { log: UploadLog }) {
  const { t } = useTranslation(['imports', 'common']);
  const id = useId();
  const [{ data, error }, execute] = useQuery({
    query: uploadChangesQuery,
    variables: useMemo(() => ({ uploadLog: log.id }), [log.id]),
    context,
  });
  const changes = usePreviousData(data?.uploadChanges, log.id);
  return (
    <Panel className="overflow-hidden">
      <PanelHead
        id={id}
        line
        title={t('check.changes.title')}
        note={changes?.length === MOST ? t('check.changes.first', { count: MOST }) : undefined}
      />
      <QueryState
        value={changes}
        error={error}
        onRetry={() => execute({ requestPolicy: 'network-only' })}
        loading={<StateView kind="loading" title={t('common:loading')} />}
        empty={null}
      >
        {(found) => <ChangesTable labelledBy={id} changes={found} />}
      </QueryState>
    </Panel>
  );
}

interface ChangesTableProps {
  labelledBy: string;
  changes: readonly UploadChange[];
}

function ChangesTable({ labelledBy, changes }: ChangesTableProps) {
  const { t } = useTranslation(['imports', 'status-histories', 'deliveries']);
  const nameOf = useNameOf();
  const changed = ({ itemNumber, field }: UploadChange) => {
    const name = nameOf(['status-histories:changes.fields', 'deliveries:fields'], field);
    return itemNumber === null ? name : t('status-histories:changes.ofItem', { item: itemNumber, field: name });
  };
  return (
    <div
      role="region"
      aria-labelledby={labelledBy}
      tabIndex={0}
      className="overflow-x-auto focus-visible:-outline-offset-2"
    >
      <Table
        look="texts"
        className="min-w-[680px]"
        columns={[
          {
            id: 'doc',
            header: t('check.changes.doc'),
            render: ({ deliveryId }) => (
              <Link to={routes.viewDelivery({ deliveryId })} className="font-medium text-accent hover:underline">
                {deliveryId}
              </Link>
            ),
            cellClassName: 'wrap-anywhere',
          },
          {
            id: 'field',
            header: t('check.changes.field'),
            render: changed,
            cellClassName: 'wrap-anywhere',
          },
          {
            id: 'before',
            header: t('check.changes.before'),
            render: ({ field, before }) => <ChangedValue field={field} value={before} />,
            cellClassName: 'wrap-anywhere',
          },
          {
            id: 'after',
            header: t('check.changes.after'),
            render: ({ field, after }) => <ChangedValue field={field} value={after} />,
            cellClassName: 'font-medium wrap-anywhere',
          },
        ]}
        rows={changes}
        rowKey={({ deliveryId, itemNumber, field }) => `${deliveryId} ${itemNumber} ${field}`}
      />
    </div>
  );
}
