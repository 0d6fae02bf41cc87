import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkBar } from './bulk-bar';
import type { ListState } from './list-state';
import type { BulkAction, ListCount, Resource } from './resource';
import { useListKeys } from './use-list-shortcuts';
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
  const [open, setOpen] = useState<{ action: BulkAction<Row>; rows: readonly Row[] }>();
  const Dialog = open?.action.dialog;

  const rows = rowsOf(selection.ids);
  const offered = actions
    .map((action) => ({ action, rows: rows.filter(action.fits) }))
    .filter((offer) => offer.rows.length > 0);
  const start = (id: string) => setOpen(offered.find(({ action }) => action.id === id));

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
          selected={selection.ids.size}
          finding={all.found}
          onSelectAll={() => void all.start()}
          onAction={start}
        />
      )}
      {open && Dialog && (
        <Suspense>
          <Dialog
            ids={open.rows.map(resource.rowId)}
            rows={open.rows}
            onSelect={selection.set}
            onClose={() => setOpen(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
