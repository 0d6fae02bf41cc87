import { useTranslation } from 'react-i18next';
import type { RefusedRow } from '../queries';

interface RefusedRowsProps {
  labelledBy: string;
  rows: readonly RefusedRow[];
}

const head = 'h-9 px-3 text-xs font-medium whitespace-nowrap text-muted';
const cell = 'px-3 py-2 align-top';

/** One line for each message, as one row of the file may have several. */
export function RefusedRowsTable({ labelledBy, rows }: RefusedRowsProps) {
  const { t } = useTranslation(['imports', 'common']);
  const none = <span className="text-muted">{t('common:none')}</span>;
  return (
    <div
      role="region"
      aria-labelledby={labelledBy}
      tabIndex={0}
      className="overflow-x-auto focus-visible:-outline-offset-2"
    >
      <table className="w-full min-w-[760px] text-left text-sm">
        <thead className="bg-raised">
          <tr>
            <th scope="col" className={`${head} w-20 text-right`}>
              {t('refused.columns.row')}
            </th>
            <th scope="col" className={`${head} w-52`}>
              {t('refused.columns.column')}
            </th>
            <th scope="col" className={`${head} w-44`}>
              {t('refused.columns.code')}
            </th>
            <th scope="col" className={head}>
              {t('refused.columns.message')}
            </th>
            <th scope="col" className={`${head} w-36`}>
              {t('refused.columns.doc')}
            </th>
          </tr>
        </thead>
        {rows.map(({ rowNumber, deliveryId, messages }) => (
          <tbody key={rowNumber} className="border-t border-line">
            {messages.map(({ column, code, text }, index) => (
              <tr key={`${index} ${code}`}>
                {index === 0 && (
                  <th
                    scope="rowgroup"
                    rowSpan={messages.length}
                    className={`${cell} text-right font-normal tabular-nums`}
                  >
                    {rowNumber}
                  </th>
                )}
                <td className={cell}>{column ?? none}</td>
                <td className={`${cell} text-xs leading-5 text-muted wrap-anywhere`}>{code}</td>
                <td className={`${cell} wrap-anywhere`}>{text}</td>
                {index === 0 && (
                  <td rowSpan={messages.length} className={`${cell} tabular-nums wrap-anywhere`}>
                    {deliveryId ?? none}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** The same rows on a narrow screen: row and document, and below them what is wrong. */
export function RefusedRowsCards({ labelledBy, rows }: RefusedRowsProps) {
  const { t } = useTranslation('imports');
  return (
    <ul aria-labelledby={labelledBy} className="divide-y divide-line">
      {rows.map(({ rowNumber, deliveryId, messages }) => (
        <li key={rowNumber} className="px-4 py-3 text-sm">
          <p className="flex flex-wrap justify-between gap-x-3 font-medium tabular-nums">
            <span>{t('refused.row', { row: rowNumber })}</span>
            <span className="wrap-anywhere">{deliveryId}</span>
          </p>
          {messages.map(({ column, code, text }, index) => (
            <p key={`${index} ${code}`} className="mt-1 wrap-anywhere">
              {column && <span className="text-muted">{column}: </span>}
              {text}
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}
