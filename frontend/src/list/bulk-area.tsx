import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkBar } from './bulk-bar';
import type { ListState } from './list-state';
import type { BulkAction, ListCount, Resource, WhereFilter } from './resource';
import { toWhere } from './to-where';
import { useListKeys } from './list-shortcuts';
import { useSelectAll } from './use-select-all';
import type { Selection } from './use-selection';

interface BulkAreaProps<Row, Data> {
  resource: Resource<Row, Data>;
  state: ListState;
  timeZone: string;
  selection: Selection;
  /** The selected rows, as far as they have been read. */
  rowsOf: (ids: Iterable<string>) => Row[];
  onRows: (rows: readonly Row[]) => void;
  shown: number;
  count: ListCount | undefined;
  actions: readonly BulkAction<Row>[];
  /** Whether single keys are on. */
  shortcuts: boolean;
  onClear: () => void;
}

interface Open<Row> {
  action: BulkAction<Row>;
  rows: readonly Row[];
  /** Of an action on everything that matches: the filters when it was opened. */
  where: readonly WhereFilter[] | undefined;
}

interface OpenDialogProps<Row> extends Open<Row> {
  idOf: (row: Row) => string;
  onSelect: (ids: readonly string[]) => void;
  onClose: () => void;
}

function OpenDialog<Row>({ action, rows, where, idOf, onSelect, onClose }: OpenDialogProps<Row>) {
  const { dialog: Dialog, dialogOfAll: DialogOfAll } = action;
  if (where) return DialogOfAll && <DialogOfAll where={where} onDone={() => onSelect([])} onClose={onClose} />;
  return <Dialog ids={rows.map(idOf)} {...{ rows, onSelect, onClose }} />;
}

/** The bar of the selected rows and the dialog of what is done to them. */
export function BulkArea<Row, Data>(props: BulkAreaProps<Row, Data>) {
  const { resource, state, timeZone, selection, rowsOf, onRows } = props;
  const { shown, count, actions, shortcuts, onClear } = props;
  const { t } = useTranslation('list');
  const all = useSelectAll(resource, state, timeZone, (rows) => {
    onRows(rows);
    selection.set(rows.map(resource.rowId));
  });
  // Those that were selected when the dialog opened: the list goes on changing behind it.
  const [open, setOpen] = useState<Open<Row>>();

  const ofAll = actions.filter(({ dialogOfAll }) => dialogOfAll);
  const rows = rowsOf(selection.ids);
  // Of all that match nobody has read every row: the server says how many fit.
  const offered = selection.all
    ? ofAll.map((action) => ({ action, rows }))
    : actions
        .map((action) => ({ action, rows: rows.filter(action.fits) }))
        .filter((offer) => offer.rows.length > 0);
  function start(id: string) {
    const offer = offered.find(({ action }) => action.id === id);
    const where = selection.all ? toWhere(state.filters, timeZone, resource.filters) : undefined;
    if (offer) setOpen({ ...offer, where });
  }

  useListKeys(
    Object.fromEntries(
      shortcuts ? offered.map(({ action }) => [action.shortcut, () => start(action.id)]) : [],
    ),
  );

  const keys = offered.map(({ action: { shortcut, labelKey } }) =>
    t('selection.key', { key: shortcut.toUpperCase(), action: t(labelKey) }),
  );
  return (
    <>
      {/* Said once when there is something to press, not with every row that is selected. */}
      <p aria-live="polite" className="sr-only">
        {shortcuts && keys.length > 0 && t('selection.keys', { keys: keys.join(', ') })}
      </p>
      {selection.ids.size > 0 && (
        <BulkBar
          {...{ shown, count, shortcuts, onClear }}
          offered={offered.map((offer) => ({ action: offer.action, fitting: offer.rows.length }))}
          all={ofAll.length > 0 ? selection.all : undefined}
          selected={selection.ids.size}
          finding={all.found}
          onSelectAll={() => (ofAll.length > 0 ? selection.selectAll() : void all.start())}
          onAction={start}
        />
      )}
      {open && (
        <Suspense>
          <OpenDialog
            {...open}
            idOf={resource.rowId}
            onSelect={selection.set}
            onClose={() => setOpen(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
