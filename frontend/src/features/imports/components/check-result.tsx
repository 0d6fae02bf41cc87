import { useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMutation, useQuery } from 'urql';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { normalizeError } from '@/data/errors';
import { QueryState } from '@/data/query-state';
import { useKept } from '@/data/use-record';
import { formatCount } from '@/lib/numbers';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { toast } from '@/ui/toast';
import {
  commitUploadMutation,
  uploadChangesQuery,
  type UploadChange,
  type UploadLog,
} from '../queries';

const MOST = 100;
const context = { additionalTypenames: ['UploadChange'] };
const head = 'h-9 px-3 text-xs font-medium whitespace-nowrap text-muted';
const cell = 'px-3 py-2 align-top wrap-anywhere';

interface CheckResultProps {
  log: UploadLog;
  onStarted: () => void;
}

/** A file that was checked: one click imports it. */
export function CheckResult({ log, onStarted }: CheckResultProps) {
  const { t } = useTranslation('imports');
  const { hasRole } = useAuth();
  const [, execute] = useMutation(commitUploadMutation);
  const [busy, setBusy] = useState(false);
  const rows = log.rowsCreated + log.rowsUpdated;

  async function start() {
    setBusy(true);
    const { error } = await execute({ input: { id: log.id } });
    setBusy(false);
    if (error) toast.error(normalizeError(error).message);
    else onStarted();
  }

  return (
    <>
      <Note
        tone="info"
        title={t('check.nothingYet')}
        action={
          hasRole(WRITE_ROLES) && (
            <Button variant="primary" disabled={busy || rows === 0} onClick={() => void start()}>
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
      </Note>
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
  const changes = useKept(data?.uploadChanges, log.id);
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
  const { t } = useTranslation(['imports', 'status-histories', 'deliveries', 'common']);
  const none = <span className="text-muted">{t('common:none')}</span>;
  return (
    <div
      role="region"
      aria-labelledby={labelledBy}
      tabIndex={0}
      className="overflow-x-auto focus-visible:-outline-offset-2"
    >
      <table className="w-full min-w-[640px] text-left text-sm">
        <thead className="bg-raised">
          <tr>
            {(['doc', 'field', 'before', 'after'] as const).map((column) => (
              <th key={column} scope="col" className={head}>
                {t(`check.changes.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {changes.map(({ deliveryId, itemNumber, field, before, after }) => {
            const name = t(
              [`status-histories:changes.fields.${field}`, `deliveries:fields.${field}`],
              { defaultValue: field },
            );
            return (
              <tr key={`${deliveryId} ${itemNumber} ${field}`} className="border-t border-line">
                <td className={cell}>
                  <Link
                    to={routes.viewDelivery({ deliveryId })}
                    className="font-medium text-accent hover:underline"
                  >
                    {deliveryId}
                  </Link>
                </td>
                <td className={cell}>
                  {itemNumber === null
                    ? name
                    : t('status-histories:changes.ofItem', { item: itemNumber, field: name })}
                </td>
                <td className={cell}>{before ?? none}</td>
                <td className={`${cell} font-medium`}>{after ?? none}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
