import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { QueryState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { ListFooter } from '@/list/list-footer';
import { useListPaging, useListState } from '@/list/use-list-state';
import { StateView } from '@/ui/state-view';
import { type ReviewRow, reviewRowsQuery, type UploadLog } from './queries';
import { RowTitle } from './row-place';
import { RowResultTag } from './row-result';
import type { ReviewFilter } from './use-review-filter';

const shape = { name: 'review-rows', filters: [], columns: [], defaultSort: [] };

interface ReviewCardsProps {
  labelledBy: string;
  log: UploadLog;
  filter: ReviewFilter;
  /** Called if the server does not keep the rows any more. */
  onMissing: () => void;
}

/** The rows of a checked file as cards, for narrow screens, where cells cannot be edited. */
export function ReviewCards({ labelledBy, log, filter, onMissing }: ReviewCardsProps) {
  const { t } = useTranslation(['imports', 'common']);
  const navigation = useListState(shape);
  const { state, setLimit, setOffset } = navigation;
  const { limit, offset } = state;
  const { name, result } = filter;
  const { value: found, error, status, retry } = useRecord({
    document: reviewRowsQuery,
    variables: { uploadLog: log.id, result, offset, limit },
    typenames: ['ReviewRow'],
    read: ({ reviewRows }) => reviewRows,
    pageOf: `${log.id} ${name}`,
  });
  const count = found ? { total: found.total, exact: true } : undefined;
  useListPaging({ count, shown: found?.rows.length ?? 0, isLoading: status === 'refetch' }, navigation);
  useEffect(() => {
    if (found?.kept === false) onMissing();
  }, [found, onMissing]);
  return (
    <QueryState
      value={found}
      error={error}
      status={status}
      onRetry={retry}
      loading={<StateView kind="loading" title={t('common:loading')} />}
      empty={null}
    >
      {({ rows, total }) =>
        total === 0 ? (
          <StateView kind="empty" title={t('review.none')} />
        ) : (
          <>
            <ul aria-labelledby={labelledBy} className="divide-y divide-line">
              {rows.map((row) => (
                <Card key={row.rowNumber} row={row} headings={log.headings} />
              ))}
            </ul>
            <ListFooter
              shown={rows.length}
              count={{ total, exact: true }}
              limit={limit}
              offset={offset}
              loading={status === 'refetch'}
              onLimit={setLimit}
              onOffset={setOffset}
            />
          </>
        )
      }
    </QueryState>
  );
}

function Card({ row, headings }: { row: ReviewRow; headings: readonly string[] }) {
  const { t } = useTranslation('imports');
  const { sheetRow, sheet, result, messages, cells, corrections } = row;
  const values = cells.map((cell, place) => corrections.find((it) => it.column === place)?.value ?? cell);
  return (
    <li className="px-4 py-3 text-sm">
      <p className="flex flex-wrap items-center justify-between gap-x-3 font-medium">
        <RowTitle row={sheetRow} sheet={sheet} />
        <RowResultTag result={result} />
      </p>
      {messages.map(({ column, code, text }, index) => (
        <p key={`${index} ${code}`} className="mt-1 text-bad wrap-anywhere">
          {column && <span>{column}: </span>}
          {text}
        </p>
      ))}
      {cells.length === 0 && <p className="mt-1 text-muted">{t('correct.tooLong')}</p>}
      <dl className="mt-2 grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-x-3 gap-y-0.5 text-xs">
        {values.map(
          (value, place) =>
            value !== '' && (
              <div key={place} className="contents">
                <dt className="text-muted wrap-anywhere">
                  {headings[place] || t('correct.noHeading', { column: place + 1 })}
                </dt>
                <dd dir="auto" className="wrap-anywhere">
                  {value}
                </dd>
              </div>
            ),
        )}
      </dl>
    </li>
  );
}
