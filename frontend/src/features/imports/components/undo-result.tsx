import { useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { QueryState } from '@/data/query-state';
import { useTimeZone } from '@/data/use-time-zone';
import { useKept } from '@/data/use-record';
import { formatDateTime } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { undoExceptionsQuery, type UndoException, type UploadLog } from '../queries';

const SHOWN = 25;
const context = { additionalTypenames: ['UndoException'] };
const head = 'h-9 px-3 text-xs font-medium whitespace-nowrap text-muted';
const cell = 'px-3 py-2 align-top wrap-anywhere';

/** What an undo did, and which deliveries it left as they were. */
export function UndoResult({ log }: { log: UploadLog }) {
  const { t } = useTranslation('imports');
  const timeZone = useTimeZone();
  const id = useId();
  const report = log.undoReport;
  if (!report) return null;
  const { reversed, kept, errored } = report;
  return (
    <Panel aria-labelledby={id} className="overflow-hidden">
      <PanelHead
        id={id}
        title={t('undo.result.title')}
        note={
          log.undoneAt
            ? t('undo.result.by', {
                by: log.undoneBy ?? '',
                at: formatDateTime(log.undoneAt, timeZone),
              })
            : undefined
        }
      />
      {log.undoFailureText && (
        <Note tone="warn" className="mx-4 mb-3">
          {log.undoFailureText}
        </Note>
      )}
      <dl className="grid grid-cols-3 gap-4 px-4 pb-4">
        {Object.entries({ reversed, kept, errored }).map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-muted">{t(`undo.result.${name}`)}</dt>
            <dd className="text-kpi font-semibold">{formatCount(value)}</dd>
          </div>
        ))}
      </dl>
      {kept + errored > 0 && <Exceptions log={log} count={kept + errored} />}
    </Panel>
  );
}

interface ExceptionsProps {
  log: UploadLog;
  count: number;
}

function Exceptions({ log, count }: ExceptionsProps) {
  const { t } = useTranslation(['imports', 'common']);
  const [offset, setOffset] = useState(0);
  const [{ data, error }, execute] = useQuery({
    query: undoExceptionsQuery,
    variables: useMemo(
      () => ({ uploadLog: log.id, page: { limit: SHOWN, offset } }),
      [log.id, offset],
    ),
    context,
  });
  const found = useKept(data?.undoExceptions, log.id);
  return (
    <QueryState
      value={found}
      error={error}
      onRetry={() => execute({ requestPolicy: 'network-only' })}
      loading={<StateView kind="loading" title={t('common:loading')} />}
      empty={null}
    >
      {(exceptions) => (
        <>
          <ExceptionsTable exceptions={exceptions} />
          {count > SHOWN && (
            <div className="flex items-center justify-end gap-2 border-t border-line px-4 py-2 text-sm">
              <span className="text-muted tabular-nums">
                {t('undo.result.page', {
                  from: formatCount(offset + 1),
                  to: formatCount(Math.min(offset + SHOWN, count)),
                  all: formatCount(count),
                })}
              </span>
              <Button disabled={offset === 0} onClick={() => setOffset(offset - SHOWN)}>
                {t('undo.result.previous')}
              </Button>
              <Button disabled={offset + SHOWN >= count} onClick={() => setOffset(offset + SHOWN)}>
                {t('undo.result.next')}
              </Button>
            </div>
          )}
        </>
      )}
    </QueryState>
  );
}

function ExceptionsTable({ exceptions }: { exceptions: readonly UndoException[] }) {
  const { t } = useTranslation('imports');
  return (
    <div
      role="region"
      aria-label={t('undo.result.exceptions')}
      tabIndex={0}
      className="overflow-x-auto border-t border-line focus-visible:-outline-offset-2"
    >
      <table className="w-full min-w-[520px] text-left text-sm">
        <thead className="bg-raised">
          <tr>
            {(['doc', 'why', 'by', 'at'] as const).map((column) => (
              <th key={column} scope="col" className={head}>
                {t(`undo.result.columns.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {exceptions.map(({ deliveryId, code, touchedBy, touchedAt }) => (
            <tr key={deliveryId} className="border-t border-line">
              <td className={cell}>
                <Link
                  to={routes.viewDelivery({ deliveryId })}
                  className="font-medium text-accent hover:underline"
                >
                  {deliveryId}
                </Link>
              </td>
              <td className={cell}>{t(`undo.result.codes.${code}`, { defaultValue: code })}</td>
              <td className={cell}>{touchedBy}</td>
              <td className={`${cell} whitespace-nowrap tabular-nums`}>
                {touchedAt && <DateTime instant={touchedAt} inline />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
