import { cn } from '@/ui/cn';
import type { FormTable } from '../queries';

const head = 'py-2 px-1.5 text-caps font-semibold';
const cell = 'py-1.5 px-1.5 align-top';

type Column = FormTable['columns'][number];
type Row = FormTable['rows'][number];

const looks: Record<Column['kind'], string> = {
  number: 'w-14 tabular-nums wrap-anywhere',
  description: 'wrap-anywhere',
  unit: 'w-14 wrap-anywhere',
  quantity: 'text-right tabular-nums',
  reason: 'w-[26%] pl-3 wrap-anywhere',
};

function ItemRow({ row, columns, isTotal }: { row: Row; columns: readonly Column[]; isTotal: boolean }) {
  const line = cn('break-inside-avoid', row.strong && 'font-semibold');
  return (
    <>
      <tr className={cn(line, !isTotal && row.notes.length === 0 && 'border-b border-line2')}>
        {columns.map(({ kind, title }, at) => {
          const text = <bdi>{row.cells[at]}</bdi>;
          return kind === 'number' && !isTotal ? (
            <th key={title} scope="row" className={cn(cell, looks[kind], !row.strong && 'font-normal')}>
              {text}
            </th>
          ) : (
            <td key={title} className={cn(cell, looks[kind])}>
              {text}
            </td>
          );
        })}
      </tr>
      {row.notes.length > 0 && (
        <tr className="break-inside-avoid border-b border-line2">
          <td
            colSpan={columns.length}
            className={`${cell} pt-0 pl-15.5 text-caps font-normal wrap-anywhere text-muted`}
          >
            {row.notes.map((note) => (
              <p key={note}>
                <bdi>{note}</bdi>
              </p>
            ))}
          </td>
        </tr>
      )}
    </>
  );
}

/** What was expected and what was counted, with a total for each unit. */
export function PaperItems({ table }: { table: FormTable }) {
  const { title, columns, rows, totals, empty } = table;
  if (rows.length === 0) return <p className="border-b border-line2 py-4 text-sm">{empty}</p>;
  return (
    // On a narrow screen it scrolls, so keys must reach it; on paper there is nothing to scroll.
    <div
      role="region"
      aria-label={title}
      tabIndex={0}
      className="overflow-x-auto py-4 print:overflow-visible"
    >
      <table aria-label={title} className="w-full min-w-[560px] text-left text-xs print:min-w-0">
        <thead>
          <tr className="border-y border-fg">
            {columns.map(({ kind, title: name }) => (
              <th key={name} scope="col" className={cn(head, looks[kind])}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <ItemRow key={at} row={row} columns={columns} isTotal={false} />
          ))}
          {/* In the body: a foot would come again on every page. */}
          {totals.map((row, at) => (
            <ItemRow key={`total ${at}`} row={row} columns={columns} isTotal />
          ))}
        </tbody>
      </table>
    </div>
  );
}
