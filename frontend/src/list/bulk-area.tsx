import { Suspense, useState } from 'react';
import { BulkBar } from './bulk-bar';
import type { ListState } from './list-state';
import type { BulkAction, ListCount, Resource } from './resource';
import { useSelectAll } from './use-select-all';
import type { Selection } from './use-selection';

interface BulkAreaProps<Row, Data> {
  resource: Resource<Row, Data>;
  state: ListState;
  timeZone: string;
  selection: Selection;
  shown: number;
  count: ListCount | undefined;
  actions: readonly BulkAction[];
  onClear: () => void;
}

/** The bar of the selected rows and the dialog of what is done to them. */
export function BulkArea<Row, Data>(props: BulkAreaProps<Row, Data>) {
  const { resource, state, timeZone, selection, shown, count, actions, onClear } = props;
  const all = useSelectAll(resource, state, timeZone, selection.set);
  // What was selected when the dialog opened: the list lives on behind it.
  const [open, setOpen] = useState<{ action: BulkAction; ids: readonly string[] }>();
  const Dialog = open?.action.dialog;
  return (
    <>
      {selection.ids.size > 0 && (
        <BulkBar
          {...{ shown, count, actions, onClear }}
          selected={selection.ids.size}
          finding={all.found}
          onSelectAll={() => void all.start()}
          onAction={(action) => setOpen({ action, ids: [...selection.ids] })}
        />
      )}
      {open && Dialog && (
        <Suspense>
          <Dialog ids={open.ids} onSelect={selection.set} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </>
  );
}
