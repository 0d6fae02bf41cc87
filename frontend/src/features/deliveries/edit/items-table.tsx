import { Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatQuantity } from '@/lib/numbers';
import { RecordLink } from '@/list/record-link';
import { IconButton } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import { Table, type TableColumn } from '@/ui/table';

export interface ListedItem {
  itemNumber: string;
  description: string | null;
  sku: string | null;
  unit: string | null;
  quantity: number;
}

interface ItemsTableProps {
  items: readonly ListedItem[];
  /** Server errors by item number. */
  wrong?: ReadonlyMap<string, string>;
  /** The control that adds an item. */
  add: ReactNode;
  editAddress: (item: ListedItem, index: number) => string;
  onDelete: (item: ListedItem) => void;
}

/** Items of a delivery without an outcome. */
export function ItemsTable({ items, wrong, add, editAddress, onDelete }: ItemsTableProps) {
  const { t } = useTranslation(['delivery-editor', 'deliveries', 'common']);
  const id = useId();
  const none = <span className="text-muted">{t('none', { ns: 'common' })}</span>;
  const columns: TableColumn<ListedItem>[] = [
    {
      id: 'number',
      header: t('deliveries:items.number'),
      render: ({ itemNumber }) => itemNumber,
      names: true,
      className: 'ps-4',
      headClassName: 'w-20 max-md:w-14',
      cellClassName: 'tabular-nums',
    },
    {
      id: 'description',
      header: t('deliveries:items.description'),
      render: ({ itemNumber, description, sku }) => {
        const message = wrong?.get(itemNumber);
        return (
          <>
            {description ?? sku ?? none}
            {message && <span className="block text-xs text-bad">{message}</span>}
          </>
        );
      },
      cellClassName: 'wrap-anywhere',
    },
    {
      id: 'unit',
      header: t('deliveries:items.unit'),
      render: ({ unit }) => unit ?? none,
      headClassName: 'w-16 max-md:w-12',
      cellClassName: 'text-muted',
    },
    {
      id: 'expected',
      header: t('deliveries:items.expected'),
      render: ({ quantity }) => formatQuantity(quantity),
      end: true,
      headClassName: 'w-24 max-md:w-20',
    },
    {
      id: 'actions',
      header: <span className="sr-only">{t('items.actions')}</span>,
      render: (item) => (
        <div className="flex justify-end gap-1">
          <RecordLink
            to={editAddress(item, items.indexOf(item))}
            aria-label={t('items.edit', { item: item.itemNumber })}
            data-tip={t('items.edit', { item: item.itemNumber })}
            className="hit-target flex size-7 items-center justify-center rounded-control text-muted hover:bg-raised hover:text-fg"
          >
            <Pencil aria-hidden className="size-4" />
          </RecordLink>
          <IconButton
            icon={Trash2}
            size={28}
            label={t('items.delete', { item: item.itemNumber })}
            onClick={() => onDelete(item)}
          />
        </div>
      ),
      className: 'pe-4 max-md:ps-1 max-md:pe-3',
      headClassName: 'w-24 max-md:w-19',
    },
  ];
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
          <Table
            look="actions"
            // The buttons at the end of a row must be in sight on a phone.
            className="md:min-w-[440px]"
            columns={columns}
            rows={items}
            rowKey={({ itemNumber }) => itemNumber}
            rowClassName={({ itemNumber }) => wrong?.has(itemNumber) && 'bg-bad-soft/50'}
          />
        </div>
      )}
    </Panel>
  );
}
