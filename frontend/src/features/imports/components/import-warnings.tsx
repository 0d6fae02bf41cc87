import { useId, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { QueryState } from '@/data/query-state';
import { useKept } from '@/data/use-record';
import { formatCount } from '@/lib/numbers';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { uploadWarningsQuery, type UploadLog, type UploadWarning } from '../queries';

/** One page. More than this nobody reads one by one, and the head says how many there are. */
const SHOWN = 100;
const context = { additionalTypenames: ['UploadWarning'] };
const head = 'h-9 px-3 text-xs font-medium whitespace-nowrap text-muted';
const cell = 'px-3 py-2 align-top';

/** What somebody should look at although it was imported. */
export function ImportWarnings({ log }: { log: UploadLog }) {
  const { t } = useTranslation(['imports', 'common']);
  const id = useId();
  const [{ data, error }, execute] = useQuery({
    query: uploadWarningsQuery,
    variables: useMemo(() => ({ uploadLog: log.id, page: { limit: SHOWN, offset: 0 } }), [log.id]),
    context,
  });
  const warnings = useKept(data?.uploadWarnings, log.id);
  return (
    <Panel className="overflow-hidden">
      <PanelHead
        id={id}
        line
        title={t('warnings.title')}
        note={
          log.warnings > SHOWN
            ? t('warnings.first', { shown: formatCount(SHOWN), all: formatCount(log.warnings) })
            : t('warnings.count', { count: log.warnings, shown: formatCount(log.warnings) })
        }
      />
      <QueryState
        value={warnings}
        error={error}
        onRetry={() => execute({ requestPolicy: 'network-only' })}
        loading={<StateView kind="loading" title={t('common:loading')} />}
        empty={null}
      >
        {(found) => <WarningsTable labelledBy={id} warnings={found} />}
      </QueryState>
    </Panel>
  );
}

interface WarningsTableProps {
  labelledBy: string;
  warnings: readonly UploadWarning[];
}

function WarningsTable({ labelledBy, warnings }: WarningsTableProps) {
  const { t } = useTranslation(['imports', 'common']);
  const none = <span className="text-muted">{t('common:none')}</span>;
  return (
    <div
      role="region"
      aria-labelledby={labelledBy}
      tabIndex={0}
      className="overflow-x-auto focus-visible:-outline-offset-2"
    >
      <table className="w-full min-w-[560px] text-left text-sm">
        <thead className="bg-raised">
          <tr>
            <th scope="col" className={`${head} w-20 text-right`}>
              {t('refused.columns.row')}
            </th>
            <th scope="col" className={`${head} w-52`}>
              {t('refused.columns.column')}
            </th>
            <th scope="col" className={head}>
              {t('refused.columns.message')}
            </th>
          </tr>
        </thead>
        <tbody>
          {warnings.map(({ number, line, column, text }) => (
            <tr key={number} className="border-t border-line">
              <td className={`${cell} text-right tabular-nums`}>{line ?? none}</td>
              <td className={`${cell} wrap-anywhere`}>{column ?? none}</td>
              <td className={`${cell} wrap-anywhere`}>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
