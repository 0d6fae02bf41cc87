import { Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { toast } from '@/ui/toast';
import { BulkBar } from './bulk-bar';
import { useListKeys } from './list-shortcuts';
import type { ListState } from './list-state';
import {
  type BulkAction,
  type ListCount,
  MAX_SELECTED,
  type Resource,
  type WhereFilter,
} from './resource';
import { toWhere } from './to-where';
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

const PAGE = 100;

interface SelectAll {
  /** How many are found so far; undefined while nothing is asked. */
  found: number | undefined;
  start: () => Promise<void>;
}

/** Reads all rows that match the filters, as many as can be selected. */
function useSelectAll<Row, Data>(
  resource: Resource<Row, Data>,
  { filters, sort }: ListState,
  timeZone: string,
  onFound: (rows: readonly Row[]) => void,
): SelectAll {
  const client = useClient();
  const [found, setFound] = useState<number>();
  // With other filters, or on another page of the app, the answer is no longer wanted.
  const subject = useRef<object>(undefined);
  useEffect(() => {
    subject.current = {};
    setFound(undefined);
    return () => {
      subject.current = undefined;
    };
  }, [filters, sort]);

  async function start() {
    const own = subject.current;
    const where = toWhere(filters, timeZone, resource.filters);
    // By id, since rows move from page to page while they are read.
    const byId = new Map<string, Row>();
    setFound(0);
    for (let offset = 0; offset < MAX_SELECTED; offset += PAGE) {
      const page = { where, sort, limit: PAGE, offset };
      const { data, error } = await client
        .query(resource.document, { page, where }, { requestPolicy: 'network-only' })
        .toPromise();
      if (own !== subject.current) return;
      if (!data) {
        setFound(undefined);
        toast.error(errorText(normalizeError(error)));
        return;
      }
      const { rows } = resource.toList(data);
      for (const row of rows) byId.set(resource.rowId(row), row);
      setFound(byId.size);
      if (rows.length < PAGE) break;
    }
    setFound(undefined);
    onFound([...byId.values()]);
  }

  return { found, start };
}
