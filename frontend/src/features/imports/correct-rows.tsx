import { useCallback, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery } from 'urql';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { normalizeError } from '@/data/errors';
import { QueryState } from '@/data/query-state';
import { usePreviousData } from '@/data/use-record';
import { formatCount } from '@/lib/numbers';
import { ListFooter } from '@/list/list-footer';
import { useListState } from '@/list/use-list-state';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { Dialog, DialogContent } from '@/ui/dialog';
import type { Place } from '@/ui/edit-grid';
import { Field } from '@/ui/field';
import { Input, Select } from '@/ui/input';
import { Panel, PanelHead } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { StateView } from '@/ui/state-view';
import { toast } from '@/ui/toast';
import { correctableRowsQuery, importCorrectedRowsMutation, type UploadLog } from './queries';
import { type Alike, type CellEdit, columnOf, type Corrections, useCorrections, valueOf } from './use-corrections';
import { CancelUpload } from './cancel-upload';
import { CorrectionGrid } from './correction-grid';
import { DownloadRefused } from './refused-rows';

const shape = { name: 'refused-rows', filters: [], columns: [], defaultSort: [] };
const context = { additionalTypenames: ['UploadRow'] };

interface CorrectRowsProps {
  log: UploadLog;
  onStarted: () => void;
}

/** A grid to correct refused rows. Each edit is saved immediately, so leaving the page loses nothing. */
export function CorrectRows({ log, onStarted }: CorrectRowsProps) {
  const { t } = useTranslation(['imports', 'common']);
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  const { state, setLimit, setOffset } = useListState(shape);
  const { limit, offset } = state;
  const [{ data, error }, execute] = useQuery({
    query: correctableRowsQuery,
    variables: useMemo(
      () => ({
        uploadLog: log.id,
        page: { sort: [{ key: 'rowNumber', direction: 'asc' as const }], limit, offset },
      }),
      [log.id, limit, offset],
    ),
    // Another tab may have corrected or imported some rows.
    requestPolicy: 'cache-and-network',
    context,
  });
  const found = usePreviousData(data, log.id);
  const corrections = useCorrections(log.id);
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const [alike, setAlike] = useState<Alike>();
  const [replacing, setReplacing] = useState(false);
  const refresh = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);

  async function correct(edits: CellEdit[]) {
    setAlike(undefined);
    const [edit] = edits;
    const row = found?.uploadRows.find(({ rowNumber }) => rowNumber === edit?.rowNumber);
    const find = row && edit && valueOf(row, edit.column, corrections.typed);
    const saved = await corrections.correct(edits);
    // Offer similar cells only if the edited cell was refused.
    const wrong = row?.messages.some((message) => columnOf(message, log.headings) === edit?.column);
    if (!saved || !edit || edits.length > 1 || find === undefined || !wrong) return;
    const what = { column: edit.column, find, value: edit.value };
    const count = await corrections.replaceAll({ ...what, wholeCell: true, dryRun: true });
    if (count) setAlike({ ...what, count });
  }

  const shown = found?.uploadRows[at.row];
  return (
    <Panel ref={panel} className="overflow-hidden">
      <PanelHead
        id={id}
        line
        title={t('refused.title')}
        note={t('refused.count', { count: log.rowsFailed, shown: formatCount(log.rowsFailed) })}
        tools={
          <div className="flex flex-wrap items-center justify-end gap-2">
            <span role="status" className="text-xs text-muted">
              {t(corrections.saving ? 'correct.saving' : corrections.typed.size > 0 ? 'correct.saved' : 'correct.kept')}
            </span>
            <DownloadRefused log={log} />
            <Button onClick={() => setReplacing(true)}>{t('correct.replace.title')}</Button>
            <ImportCorrected log={log} corrections={corrections} onStarted={onStarted} />
          </div>
        }
      />
      <p className="px-4 py-2 text-xs text-muted">{t('correct.hint')}</p>
      <QueryState
        value={found}
        error={error}
        onRetry={refresh}
        loading={<StateView kind="loading" title={t('common:loading')} />}
        empty={null}
      >
        {({ uploadRows, uploadRowsCount }) => (
          <>
            <CorrectionGrid
              labelledBy={id}
              headings={log.headings}
              rows={uploadRows}
              total={uploadRowsCount.total}
              offset={offset}
              typed={corrections.typed}
              at={at}
              onMove={setAt}
              onCorrect={(edits) => void correct(edits)}
            />
            {alike && (
              <AlikeBar
                alike={alike}
                heading={log.headings[alike.column] ?? ''}
                onApply={async () => {
                  // The bar disappears, so move the focus back to the grid.
                  panel.current?.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus();
                  setAlike(undefined);
                  const changed = await corrections.replaceAll({
                    column: alike.column,
                    find: alike.find,
                    value: alike.value,
                    wholeCell: true,
                  });
                  if (changed !== undefined) refresh();
                }}
              />
            )}
            <ListFooter
              shown={uploadRows.length}
              count={uploadRowsCount}
              limit={limit}
              offset={offset}
              onLimit={setLimit}
              onOffset={setOffset}
            />
          </>
        )}
      </QueryState>
      {replacing && (
        <ReplaceDialog
          log={log}
          column={at.column}
          find={shown ? valueOf(shown, at.column, corrections.typed) : ''}
          corrections={corrections}
          onDone={refresh}
          onClose={() => setReplacing(false)}
        />
      )}
    </Panel>
  );
}

/** Progress of importing corrected rows. */
export function CorrectionProgress({ log }: { log: UploadLog }) {
  const { t } = useTranslation('imports');
  const { hasRole } = useAuth();
  return (
    <Panel aria-label={t('correct.running')} className="p-4">
      <p role="status" className="text-sm font-medium">
        {t('correct.running')}
      </p>
      <ProgressBar className="mt-2" label={t('correct.running')} value={undefined} />
      <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
        <p className="text-xs text-muted tabular-nums">
          {t('correct.runningText', { count: log.rowsFailed, shown: formatCount(log.rowsFailed) })}
        </p>
        {hasRole(WRITE_ROLES) && <CancelUpload log={log} label={t('correct.cancel')} />}
      </div>
    </Panel>
  );
}

interface ImportCorrectedProps extends CorrectRowsProps {
  corrections: Corrections;
}

function ImportCorrected({ log, corrections, onStarted }: ImportCorrectedProps) {
  const { t } = useTranslation('imports');
  const [, execute] = useMutation(importCorrectedRowsMutation);
  const [busy, setBusy] = useState(false);

  async function start() {
    setBusy(true);
    const saved = await corrections.settled();
    const error = saved ? (await execute({ input: { id: log.id } })).error : undefined;
    setBusy(false);
    if (error) toast.error(normalizeError(error).message);
    else if (saved) onStarted();
  }

  return (
    <Button variant="primary" disabled={busy} onClick={() => void start()}>
      {t(busy ? 'correct.starting' : 'correct.start')}
    </Button>
  );
}

interface AlikeBarProps {
  alike: Alike;
  heading: string;
  onApply: () => Promise<void>;
}

/** Offers to apply a correction to all cells with the same invalid value. */
function AlikeBar({ alike, heading, onApply }: AlikeBarProps) {
  const { t } = useTranslation('imports');
  const { count, find } = alike;
  const shown = formatCount(count);
  const text = find === '' ? 'correct.alike.empty' : 'correct.alike.text';
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line bg-info-soft px-4 py-2 text-sm">
      <span role="status" className="wrap-anywhere">
        {t(text, { count, shown, heading, value: find })}
      </span>
      <Button onClick={() => void onApply()}>{t('correct.alike.apply', { count, shown })}</Button>
    </div>
  );
}

interface ReplaceDialogProps {
  log: UploadLog;
  column: number;
  find: string;
  corrections: Corrections;
  onDone: () => void;
  onClose: () => void;
}

function ReplaceDialog({ log, corrections, onDone, onClose, ...start }: ReplaceDialogProps) {
  const { t } = useTranslation(['imports', 'common']);
  const id = useId();
  const [column, setColumn] = useState(start.column);
  const [find, setFind] = useState(start.find);
  const [value, setValue] = useState('');
  const [wholeCell, setWholeCell] = useState(false);
  const [busy, setBusy] = useState(false);

  async function replace() {
    setBusy(true);
    const changed = await corrections.replaceAll({ column, find, value, wholeCell });
    setBusy(false);
    if (changed === undefined) return;
    toast.success(t('correct.replace.done', { count: changed, shown: formatCount(changed) }));
    onDone();
    onClose();
  }

  return (
    <Dialog open onOpenChange={() => !busy && onClose()}>
      <DialogContent
        title={t('correct.replace.title')}
        description={t('correct.replace.text')}
        footer={
          <>
            <Button onClick={onClose}>{t('common:cancel')}</Button>
            <Button
              variant="primary"
              type="submit"
              form={id}
              disabled={busy || (find === '' && !wholeCell)}
            >
              {t('correct.replace.action')}
            </Button>
          </>
        }
      >
        <form
          id={id}
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            void replace();
          }}
        >
          <Field label={t('correct.replace.column')}>
            <Select value={column} onChange={({ target }) => setColumn(Number(target.value))}>
              {log.headings.map((heading, index) => (
                <option key={index} value={index}>
                  {heading || t('correct.noHeading', { column: index + 1 })}
                </option>
              ))}
            </Select>
          </Field>
          <Field label={t('correct.replace.find')}>
            <Input value={find} onChange={({ target }) => setFind(target.value)} />
          </Field>
          <Field label={t('correct.replace.value')}>
            <Input value={value} onChange={({ target }) => setValue(target.value)} />
          </Field>
          <Checkbox
            label={t('correct.replace.whole')}
            checked={wholeCell}
            onChange={({ target }) => setWholeCell(target.checked)}
          />
        </form>
      </DialogContent>
    </Dialog>
  );
}
