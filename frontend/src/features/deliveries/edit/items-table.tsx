import { Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatQuantity } from '@/lib/numbers';
import { IconButton } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Panel, PanelHead } from '@/ui/panel';

export interface ListedItem {
  itemNumber: string;
  description: string | null;
  sku: string | null;
  unit: string | null;
  quantity: number;
}

interface ItemsTableProps {
  items: readonly ListedItem[];
  /** What the server refused, by item number. */
  wrong?: ReadonlyMap<string, string>;
  /** Adds another one. */
  add: ReactNode;
  editAddress: (item: ListedItem, index: number) => string;
  onDelete: (item: ListedItem) => void;
}

const head = 'h-9 px-3 text-xs font-medium whitespace-nowrap text-muted';
const cell = 'px-3 py-1.5';

/** The items of a delivery that nobody has counted yet. */
export function ItemsTable({ items, wrong, add, editAddress, onDelete }: ItemsTableProps) {
  const { t } = useTranslation(['delivery-form', 'deliveries', 'common']);
  const id = useId();
  const none = <span className="text-muted">{t('none', { ns: 'common' })}</span>;
  return (
    <Panel className="overflow-hidden">
      <PanelHead
        id={id}
        line
        title={t('deliveries:items.title')}
        note={t('deliveries:lines', { count: items.length })}
        tools={add}
      />
      {items.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-muted">{t('items.none')}</p>
      ) : (
        <div role="region" aria-labelledby={id} tabIndex={0} className="overflow-x-auto focus-visible:-outline-offset-2">
          <table className="w-full min-w-[440px] text-start text-sm">
            <thead className="bg-raised">
              <tr>
                <th scope="col" className={`${head} w-20 ps-4`}>
                  {t('deliveries:items.number')}
                </th>
                <th scope="col" className={head}>
                  {t('deliveries:items.description')}
                </th>
                <th scope="col" className={`${head} w-16`}>
                  {t('deliveries:items.unit')}
                </th>
                <th scope="col" className={`${head} w-24 text-end`}>
                  {t('deliveries:items.expected')}
                </th>
                <th scope="col" className={`${head} w-24 pe-4`}>
                  <span className="sr-only">{t('items.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((item, index) => {
                const message = wrong?.get(item.itemNumber);
                return (
                  <tr
                    key={item.itemNumber}
                    className={cn('border-t border-line', message && 'bg-bad-soft/50')}
                  >
                    <th scope="row" className={`${cell} ps-4 font-normal tabular-nums`}>
                      {item.itemNumber}
                    </th>
                    <td className={`${cell} wrap-anywhere`}>
                      {item.description ?? item.sku ?? none}
                      {message && <span className="block text-xs text-bad">{message}</span>}
                    </td>
                    <td className={`${cell} text-muted`}>{item.unit ?? none}</td>
                    <td className={`${cell} text-end tabular-nums`}>
                      {formatQuantity(item.quantity)}
                    </td>
                    <td className={`${cell} pe-4`}>
                      <div className="flex justify-end gap-1">
                        <Link
                          to={editAddress(item, index)}
                          aria-label={t('items.edit', { item: item.itemNumber })}
                          className="hit-target flex size-7 items-center justify-center rounded-control text-muted hover:bg-raised hover:text-fg"
                        >
                          <Pencil aria-hidden className="size-4" />
                        </Link>
                        <IconButton
                          icon={Trash2}
                          size={28}
                          label={t('items.delete', { item: item.itemNumber })}
                          onClick={() => onDelete(item)}
                        />
                      </div>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
