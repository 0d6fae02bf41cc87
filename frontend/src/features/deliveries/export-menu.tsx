import { Download, FileSpreadsheet, FileText, X } from 'lucide-react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { filters as fields } from '@/delivery-list/filters';
import { dayOf } from '@/lib/dates';
import { formatBytes, formatCount } from '@/lib/numbers';
import { encodeFilters, type Filter } from '@/list/filters-codec';
import type { ListShown } from '@/list/resource';
import { toWhere } from '@/list/to-where';
import { Button, IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { Note } from '@/ui/note';
import { ProgressBar } from '@/ui/progress-bar';
import { type FileExportState, useFileExport } from '@/uploads/use-file-export';

/** Everything the list shows, page after page, as one file. */
export function ExportMenu({ shown }: { shown: ListShown }) {
  const { t } = useTranslation('deliveries-list');
  const { state, start, cancel, dismiss } = useExport(shown);
  const isRunning = state?.status === 'running';
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
        <DropdownMenuContent>
          <DropdownMenuLabel>{t('export.what')}</DropdownMenuLabel>
          <DropdownMenuItem icon={FileText} disabled={isRunning} onSelect={() => void start('csv')}>
            {t('export.csv')}
          </DropdownMenuItem>
          <DropdownMenuItem
            icon={FileSpreadsheet}
            disabled={isRunning}
            onSelect={() => void start('xlsx')}
          >
            {t('export.xlsx')}
          </DropdownMenuItem>
        </DropdownMenuContent>
      </DropdownMenu>
      {state && (
        <ExportProgress
          {...{ state, shown }}
          onCancel={cancel}
          onRetry={(format) => void start(format)}
          onDismiss={dismiss}
        />
      )}
    </>
  );
}

interface ExportProgressProps {
  state: ExportState;
  shown: ListShown;
  onCancel: () => void;
  onRetry: (format: ExportFormat) => void;
  onDismiss: () => void;
}

/** How far the export is, in a corner: the list can be used meanwhile. */
function ExportProgress(props: ExportProgressProps) {
  const { state, shown, onCancel, onRetry, onDismiss } = props;
  const { t } = useTranslation('deliveries-list');
  function sizeText({ bytes, total: whole }: { bytes: number; total?: number | undefined }) {
    if (bytes === 0) return t('export.wait');
    const size = formatBytes(bytes);
    return whole ? t('export.readOf', { size, whole: formatBytes(whole) }) : t('export.read', { size });
  }
  const total = shown.count?.exact === true ? formatCount(shown.count.total) : undefined;
  // Beside the page, as the tools it belongs to are hidden on a narrow screen.
  return createPortal(
    <section
      aria-label={t('export.title')}
      className="fixed right-4 bottom-4 z-30 w-80 md:right-10 md:bottom-20 max-w-[calc(100vw-32px)] animate-appear rounded-panel border border-line2 bg-surface p-3 shadow-float"
    >
      {state.status === 'running' && (
        <div className="flex flex-col gap-2">
          <p className="text-sm font-medium">
            {total === undefined ? t('export.running') : t('export.runningOf', { total })}
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

/**
 * Where the server makes the file. The filters go as in the address of the list, but as the server
 * knows them: days are instants, and a field has the server's name.
 */
function exportAddress(
  format: ExportFormat,
  { filters, sort }: Pick<ListShown, 'filters' | 'sort'>,
  timeZone: string,
): string {
  const where = toWhere(filters, timeZone, fields).map(
    ({ key, operator, values }): Filter => ({
      key,
      operator,
      values: values.map((value) => ({ label: '', value })),
    }),
  );
  const query = new URLSearchParams({
    format,
    ...(where.length > 0 && { filters: encodeFilters(where) }),
    sort: sort.map(({ key, direction }) => (direction === 'desc' ? `-${key}` : key)).join(','),
  });
  return `/export/deliveries?${query}`;
}

type ExportState = FileExportState<ExportFormat>;

/** Saves everything the list's filters let through, in its order, as a file. One at a time. */
function useExport(shown: ListShown) {
  const timeZone = useTimeZone();
  const { start, ...rest } = useFileExport<ExportFormat>();
  return {
    ...rest,
    start: (format: ExportFormat) =>
      start(format, {
        filename: `deliveries-${dayOf(new Date(), timeZone)}.${format}`,
        address: exportAddress(format, shown, timeZone),
        type: EXPORT_TYPES[format],
      }),
  };
}
