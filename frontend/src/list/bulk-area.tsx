import { Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { useText } from '@/i18n/texts';
import { toast } from '@/ui/toast';
import { BulkBar, isMore } from './bulk-bar';
import { useListKeys } from './list-shortcuts';
import type { ListState } from './list-state';
import {
  type BulkAction,
  type ListCount,
  MAX_SELECTED,
  type Resource,
  type WhereFilter,
} from './resource';
import { listWhere } from './to-where';
import type { Selection } from './use-selection';

interface BulkAreaProps<Row, Data> {
  resource: Resource<Row, Data>;
  state: ListState;
  timeZone: string;
  selection: Selection;
  /** Returns those of the rows with these IDs that have been loaded. */
  rowsOf: (ids: Iterable<string>) => Row[];
  onRows: (rows: readonly Row[]) => void;
  shown: number;
  count: ListCount | undefined;
  actions: readonly BulkAction<Row>[];
  /** Whether single-key shortcuts are on. */
  shortcuts: boolean;
  onClear: () => void;
}

interface Open<Row> {
  action: BulkAction<Row>;
  rows: readonly Row[];
  /** For an action on all matching rows: the filters at the time the dialog was opened. */
  where: readonly WhereFilter[] | undefined;
  /** The subject of the selection at that time. */
  subject: string;
}

interface OpenDialogProps<Row> extends Omit<Open<Row>, 'subject'> {
  idOf: (row: Row) => string;
  onSelect: (ids: readonly string[]) => void;
  onClose: () => void;
}

function OpenDialog<Row>({ action, rows, where, idOf, onSelect, onClose }: OpenDialogProps<Row>) {
  const { dialog: Dialog, dialogOfAll: DialogOfAll } = action;
  if (where) return DialogOfAll && <DialogOfAll where={where} onDone={() => onSelect([])} onClose={onClose} />;
  return <Dialog ids={rows.map(idOf)} {...{ rows, onSelect, onClose }} />;
}

/** The bulk bar and the dialog of the open bulk action. */
export function BulkArea<Row, Data>(props: BulkAreaProps<Row, Data>) {
  const { resource, state, timeZone, selection, rowsOf, onRows } = props;
  const { shown, count, actions, shortcuts, onClear } = props;
  const { t } = useTranslation('list');
  const textOf = useText();
  const all = useSelectAll(resource, state, timeZone, selection, (rows) => {
    onRows(rows);
    selection.set(rows.map(resource.rowId));
  });
  // The selection at the time the dialog opened; the list may refresh behind it.
  const [open, setOpen] = useState<Open<Row>>();

  const ofAll = actions.filter(({ dialogOfAll }) => dialogOfAll);
  const rows = rowsOf(selection.ids);
  // When all matching rows are selected, only some are loaded. So every action with `dialogOfAll` is offered, and the
  // server determines which rows it applies to.
  const offered = selection.all
    ? ofAll.map((action) => ({ action, rows }))
    : actions
        .map((action) => ({ action, rows: rows.filter(action.fits) }))
        .filter((offer) => offer.rows.length > 0);
  function start(id: string) {
    const offer = offered.find(({ action }) => action.id === id);
    const where = selection.all ? listWhere(resource, state.filters, timeZone) : undefined;
    if (offer) setOpen({ ...offer, where, subject: selection.subject });
  }

  const bar = {
    shown,
    count,
    all: ofAll.length > 0 ? selection.all : undefined,
    selected: selection.ids.size,
  };
  const selectAll = () => (ofAll.length > 0 ? selection.selectAll() : void all.start());
  /** Selects the rows of the page. If they are already selected, selects all matching rows. */
  function selectMore() {
    if (!selection.wholePage) selection.togglePage(true);
    else if (isMore(bar) && all.found === undefined) selectAll();
  }
  const ofActions = offered.map(({ action }) => [action.shortcut, () => start(action.id)] as const);
  useListKeys(shortcuts ? { ...Object.fromEntries(ofActions), '*': selectMore } : {});

  const keys = offered.map(({ action: { shortcut, labelKey } }) =>
    t('selection.key', { key: shortcut.toUpperCase(), action: textOf(labelKey) }),
  );
  return (
    <>
      {/* Announces once that actions are available, instead of with each selected row. */}
      <p aria-live="polite" className="sr-only">
        {shortcuts && keys.length > 0 && t('selection.keys', { keys: keys.join(', ') })}
      </p>
      {selection.ids.size > 0 && (
        <BulkBar
          {...bar}
          {...{ shortcuts, onClear }}
          offered={offered.map((offer) => ({ action: offer.action, fitting: offer.rows.length }))}
          finding={all.found}
          onSelectAll={selectAll}
          onAction={start}
        />
      )}
      {open && (
        <Suspense>
          <OpenDialog
            {...open}
            idOf={resource.rowId}
            // After midnight, the dialog's rows may not be in the list of today.
            onSelect={(ids) => open.subject === selection.subject && selection.set(ids)}
            onClose={() => setOpen(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

const PAGE = 100;

interface SelectAll {
  /** Number of rows found so far; undefined unless `start` is running. */
  found: number | undefined;
  start: () => Promise<void>;
}

/** Loads all matching rows, up to the maximum selection. */
function useSelectAll<Row, Data>(
  resource: Resource<Row, Data>,
  { filters, sort }: ListState,
  timeZone: string,
  { subject, ids }: Selection,
  onFound: (rows: readonly Row[]) => void,
): SelectAll {
  const client = useClient();
  const [found, setFound] = useState<number>();
  // Each change of the URL makes another array, also one to another page.
  const order = JSON.stringify(sort);
  // Discard the result if the subject, the sort order or the selection changed in the meantime, or if the list was left.
  const run = useRef<object>(undefined);
  useEffect(() => {
    run.current = {};
    setFound(undefined);
    return () => {
      run.current = undefined;
    };
  }, [subject, order, ids]);

  async function start() {
    const own = run.current;
    const where = listWhere(resource, filters, timeZone);
    // Collect rows by ID, since a row can move to another page while the pages load.
    const byId = new Map<string, Row>();
    setFound(0);
    for (let offset = 0; offset < MAX_SELECTED; offset += PAGE) {
      const page = { where, sort, limit: PAGE, offset };
      const { data, error } = await client
        .query(resource.document, { page, where }, { requestPolicy: 'network-only' })
        .toPromise();
      if (own !== run.current) return;
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
