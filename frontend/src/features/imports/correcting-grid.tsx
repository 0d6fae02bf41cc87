import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { normalizeError } from '@/data/errors';
import type { RowWindows } from '@/data/row-windows';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { type Place, reachableRows } from '@/ui/edit-grid';
import { StateView } from '@/ui/state-view';
import { AlikeBar } from './alike-bar';
import { CellDetails } from './cell-details';
import { CorrectionGrid, heightOf } from './correction-grid';
import type { GridRow, UploadLog } from './queries';
import { ReplaceDialog } from './replace-dialog';
import { type Alike, type CellEdit, columnOf, type Corrections, valueOf } from './use-corrections';

interface CorrectingGridProps {
  labelledBy: string;
  log: UploadLog;
  windows: RowWindows<GridRow>;
  corrections: Corrections;
  hasMessages: boolean;
  isReadOnly?: boolean;
  /** Whether the dialog for replacing is open. */
  isReplacing: boolean;
  onReplaced: () => void;
  /** Shown when there is no row. */
  empty: ReactNode;
}

/** A grid of rows whose cells are saved as they are typed, with what helps to correct many of them. */
export function CorrectingGrid(props: CorrectingGridProps) {
  const { labelledBy, log, windows, corrections, isReplacing, onReplaced, empty, ...shown } = props;
  const { t } = useTranslation('common');
  const panel = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const alike = useAlike(props);
  useSyncExternalStore(windows.subscribe, windows.version);
  useEffect(() => windows.view(0, 0), [windows]);
  const [total, error] = [windows.total(), windows.error()];
  if (total === undefined) {
    return error === undefined ? (
      <StateView kind="loading" title={t('loading')} />
    ) : (
      <LoadError error={error} onRetry={windows.reload} />
    );
  }
  if (total === 0) return empty;

  const current = windows.rowAt(at.row);
  return (
    <div ref={panel}>
      <CorrectionGrid
        labelledBy={labelledBy}
        headings={log.headings}
        windows={windows}
        total={total}
        hasMessages={shown.hasMessages}
        isReadOnly={shown.isReadOnly ?? false}
        typed={corrections.typed}
        at={at}
        onMove={setAt}
        onCorrect={(edits) => void alike.correct(edits, current)}
      />
      {error !== undefined && <LoadError error={error} onRetry={windows.reload} />}
      <CellDetails row={current} column={at.column} headings={log.headings} typed={corrections.typed} />
      <Reachable total={total} hasMessages={shown.hasMessages} />
      {alike.found && (
        <AlikeBar
          alike={alike.found}
          heading={log.headings[alike.found.column] ?? ''}
          onApply={() => {
            // The bar disappears, so move the focus back to the grid.
            panel.current?.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus();
            return alike.apply();
          }}
        />
      )}
      {isReplacing && (
        <ReplaceDialog
          log={log}
          column={at.column}
          find={current ? valueOf(current, at.column, corrections.typed) : ''}
          corrections={corrections}
          onSent={windows.reload}
          onClose={onReplaced}
        />
      )}
    </div>
  );
}

/** Saves corrections, and counts other cells with the same invalid value. */
function useAlike({ log, windows, corrections }: CorrectingGridProps) {
  const [found, setFound] = useState<Alike>();
  /** The latest correction, which is the one that similar cells are offered for. */
  const latest = useRef<CellEdit[]>(undefined);

  async function correct(edits: CellEdit[], current: GridRow | undefined) {
    latest.current = edits;
    setFound(undefined);
    const [edit] = edits;
    const row = current?.rowNumber === edit?.rowNumber ? current : undefined;
    const find = row && edit && valueOf(row, edit.column, corrections.typed);
    const saved = await corrections.correct(edits);
    // Offer similar cells only if the edited cell was refused.
    const wrong = row?.messages.some((message) => columnOf(message, log.headings) === edit?.column);
    if (!saved || !edit || edits.length > 1 || find === undefined || !wrong) return;
    const what = { column: edit.column, find, value: edit.value };
    const count = await corrections.replaceAll({ ...what, wholeCell: true, dryRun: true });
    if (count && latest.current === edits) setFound({ ...what, count });
  }

  async function apply() {
    if (!found) return;
    setFound(undefined);
    const { column, find, value } = found;
    await corrections.replaceAll({ column, find, value, wholeCell: true });
    windows.reload();
  }

  return { found, correct, apply };
}

function LoadError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation(['imports', 'common']);
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 border-t border-line bg-bad-soft px-4 py-2 text-sm">
      <span className="text-bad">{t('review.loadFailed')}</span>
      <span className="text-muted">{normalizeError(error).message}</span>
      <Button onClick={onRetry}>{t('common:retry')}</Button>
    </div>
  );
}

/** Says how many rows a grid shows, if there are more than it can show. */
function Reachable({ total, hasMessages }: { total: number; hasMessages: boolean }) {
  const { t } = useTranslation('imports');
  const shown = reachableRows(total, heightOf(hasMessages));
  if (shown === total) return null;
  return (
    <p className="border-t border-line px-4 py-2 text-xs text-muted">
      {t('review.first', { shown: formatCount(shown), total: formatCount(total) })}
    </p>
  );
}
