import { Download, FileSpreadsheet, FileText, X } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { type FileExportState, useFileExport } from '@/data/use-file-export';
import { useTimeZone } from '@/data/use-time-zone';
import { filters as fields } from '@/domain/delivery-list/filters';
import { dayOf } from '@/lib/dates';
import { formatBytes, formatCount } from '@/lib/numbers';
import { encodeFilters, type Filter } from '@/list/filters-codec';
import type { ListShown, SortEntry, WhereFilter } from '@/list/resource';
import { toWhere } from '@/list/to-where';
import { Button, IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuGroup,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { Note } from '@/ui/note';
import { ProgressBar } from '@/ui/progress-bar';

/** Exports deliveries to a file: the selected ones, or all that match. */
export function ExportMenu({ shown }: { shown: ListShown }) {
  const { t } = useTranslation('deliveries-list');
  const { state, total, isTooLong, start, retry, cancel, dismiss } = useExport(shown);
  const isRunning = state?.status === 'running';
  const { selected } = shown;
  const ofSelected = { count: selected.length, shown: formatCount(selected.length) };
  const items = (ids: readonly string[] | undefined) => {
    const isRefused = isTooLong(ids);
    const isOff = isRunning || isRefused;
    return (
      <>
        <DropdownMenuItem icon={FileText} disabled={isOff} onSelect={() => start('csv', ids)}>
          {t('export.csv')}
        </DropdownMenuItem>
        <DropdownMenuItem icon={FileSpreadsheet} disabled={isOff} onSelect={() => start('xlsx', ids)}>
          {t('export.xlsx')}
        </DropdownMenuItem>
        {isRefused && (
          <div className="px-2 pb-1.5 text-xs text-muted">{t(ids ? 'export.tooMany' : 'export.tooManyValues')}</div>
        )}
      </>
    );
  };
  return (
    <>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <IconButton
            icon={Download}
            label={t('export.title')}
            variant="default"
          />
        </DropdownMenuTrigger>
        <DropdownMenuContent className="max-w-72">
          {selected.length > 0 && (
            <>
              <DropdownMenuGroup label={t('export.selected', ofSelected)}>
                {items(selected)}
              </DropdownMenuGroup>
              <DropdownMenuSeparator />
            </>
          )}
          <DropdownMenuGroup label={t('export.what')}>{items(undefined)}</DropdownMenuGroup>
        </DropdownMenuContent>
      </DropdownMenu>
      {state && (
        <ExportProgress {...{ state, total }} onCancel={cancel} onRetry={retry} onDismiss={dismiss} />
      )}
    </>
  );
}

interface ExportProgressProps {
  state: ExportState;
  /** Number of deliveries, if known. */
  total: number | undefined;
  onCancel: () => void;
  onRetry: (format: ExportFormat) => void;
  onDismiss: () => void;
}

/** The progress of an export. It is in a corner, so that the list stays usable. */
function ExportProgress(props: ExportProgressProps) {
  const { state, total, onCancel, onRetry, onDismiss } = props;
  const { t } = useTranslation(['deliveries-list', 'common']);
  function sizeText({ bytes, total: whole }: { bytes: number; total?: number | undefined }) {
    if (bytes === 0) return t('export.wait');
    const size = formatBytes(bytes);
    return whole ? t('export.readOf', { size, whole: formatBytes(whole) }) : t('export.read', { size });
  }
  // Rendered outside the toolbar, which is hidden on narrow screens.
  return createPortal(
    <section
      aria-label={t('export.title')}
      className="fixed right-4 bottom-4 z-30 w-80 md:right-10 md:bottom-20 max-w-[calc(100vw-24px)] animate-appear rounded-panel border border-line2 bg-surface p-3 shadow-float"
    >
      {state.status === 'running' && (
        <div className="flex flex-col gap-2">
          <p className="text-sm font-medium">
            {total === undefined ? t('export.running') : t('export.runningOf', { count: total, total: formatCount(total) })}
          </p>
          <ProgressBar label={t('export.title')} value={state.total && state.bytes / state.total} />
          <div className="flex items-center justify-between gap-3">
            <p className="text-xs text-muted tabular-nums">
              {sizeText(state)}
            </p>
            <Button size={28} onClick={onCancel}>
              {t('common:cancel')}
            </Button>
          </div>
        </div>
      )}
      {state.status === 'done' && (
        <div className="flex items-start gap-2">
          <p role="status" className="min-w-0 flex-1 py-1 text-sm wrap-anywhere">
            {t('export.done', { filename: state.filename, size: formatBytes(state.bytes) })}
          </p>
          <IconButton icon={X} size={28} label={t('common:close')} onClick={onDismiss} />
        </div>
      )}
      {state.status === 'failed' && (
        <div className="flex flex-col gap-2">
          <Note tone="bad" role="alert" title={t('export.failed')}>
            {state.text ?? t('export.brokeOff')}
          </Note>
          <div className="flex justify-end gap-2">
            <Button size={28} onClick={onDismiss}>
              {t('common:close')}
            </Button>
            <Button size={28} onClick={() => onRetry(state.format)}>
              {t('common:retry')}
            </Button>
          </div>
        </div>
      )}
    </section>,
    document.body,
  );
}

type ExportFormat = 'csv' | 'xlsx';

const EXPORT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv;charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Longer URLs may be refused by a proxy. */
const MAX_ADDRESS = 7500;

type Wanted = Pick<WhereFilter, 'key' | 'operator' | 'values'>;

/** Returns the filter that selects exactly these deliveries. */
function ofIds(ids: readonly string[]): Wanted[] {
  return [{ key: 'id', operator: 'equals', values: [...ids] }];
}

/** Returns the server's URL for the download, with the field names and times as the server expects them. */
function exportAddress(format: ExportFormat, where: readonly Wanted[], sort: readonly SortEntry[] = []): string {
  const filters = where.map(
    ({ key, operator, values }): Filter => ({
      key,
      operator,
      values: values.map((value) => ({ label: '', value })),
    }),
  );
  const query = new URLSearchParams({
    format,
    ...(filters.length > 0 && { filters: encodeFilters(filters) }),
    sort: sort.map(({ key, direction }) => (direction === 'desc' ? `-${key}` : key)).join(','),
  });
  return `/export/deliveries?${query}`;
}

type ExportState = FileExportState<ExportFormat>;

/** What an export contains. The list may show something else by the time it ends or is retried. */
interface ExportContent {
  where: readonly Wanted[];
  sort: readonly SortEntry[];
  /** Number of deliveries, if known. */
  total: number | undefined;
}

/** Exports the deliveries with the given ids, or all that match, in list order. One export at a time. */
function useExport({ filters, sort, count }: ListShown) {
  const timeZone = useTimeZone();
  const { t } = useTranslation('deliveries-list');
  const { start: save, ...rest } = useFileExport<ExportFormat>({ leftPage: t('export.leftPage') });
  const [content, setContent] = useState<ExportContent>();
  const whereOf = (ids: readonly string[] | undefined) => (ids ? ofIds(ids) : toWhere(filters, timeZone, fields));
  function run(format: ExportFormat, of: ExportContent) {
    setContent(of);
    void save(format, {
      filename: `deliveries-${dayOf(new Date(), timeZone)}.${format}`,
      address: exportAddress(format, of.where, of.sort),
      type: EXPORT_TYPES[format],
    });
  }
  return {
    ...rest,
    isTooLong: (ids: readonly string[] | undefined) =>
      exportAddress('xlsx', whereOf(ids), sort).length > MAX_ADDRESS,
    start: (format: ExportFormat, ids: readonly string[] | undefined) =>
      run(format, {
        where: whereOf(ids),
        sort,
        total: ids ? ids.length : count?.exact ? count.total : undefined,
      }),
    retry: (format: ExportFormat) => content && run(format, content),
    total: content?.total,
  };
}
