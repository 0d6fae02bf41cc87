import { useTimeZone } from '@/data/use-time-zone';
import { dayOf } from '@/lib/dates';
import type { ListShown } from '@/list/resource';
import { type FileExportState, useFileExport } from '@/uploads/use-file-export';
import { EXPORT_TYPES, exportAddress, type ExportFormat } from './export-address';

export type ExportState = FileExportState<ExportFormat>;

/** Saves everything the list's filters let through, in its order, as a file. One at a time. */
export function useExport(shown: ListShown) {
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
