import { Download, FileText, Route } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { fileName } from '@/lib/file-name';
import { formatBytes } from '@/lib/numbers';
import { useFileExport } from '@/uploads/use-file-export';
import { Button } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { toast } from '@/ui/toast';

interface TrailExportProps {
  driverId: string;
  day: string;
  /** Instants: from included, to excluded. */
  from: string;
  to: string;
}

const TYPES = { csv: 'text/csv;charset=utf-8', gpx: 'application/gpx+xml' } as const;

/** Every position of the day as a file, flagged ones too. */
export function TrailExport({ driverId, day, from, to }: TrailExportProps) {
  const { t } = useTranslation('tracker');
  const { state, start, cancel } = useFileExport<keyof typeof TYPES>({
    onDone: ({ filename, bytes }) =>
      toast.success(t('export.done', { filename, size: formatBytes(bytes) })),
    onFailed: (text) => toast.error(`${t('export.failed')}. ${text ?? t('export.brokeOff')}`),
  });
  function save(format: keyof typeof TYPES) {
    void start(format, {
      filename: `${fileName(driverId, day)}.${format}`,
      address: `/export/driver-positions?${new URLSearchParams({ driverId, from, to, format })}`,
      type: TYPES[format],
    });
  }
  if (state?.status === 'running') {
    return (
      <span className="flex items-center gap-2 text-xs text-muted tabular-nums" role="status">
        {t('export.running', { size: formatBytes(state.bytes) })}
        <Button size={28} onClick={cancel}>
          {t('common:cancel')}
        </Button>
      </span>
    );
  }
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button icon={Download}>{t('export.title')}</Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuLabel>{t('export.what')}</DropdownMenuLabel>
        <DropdownMenuItem icon={FileText} onSelect={() => save('csv')}>
          {t('export.csv')}
        </DropdownMenuItem>
        <DropdownMenuItem icon={Route} onSelect={() => save('gpx')}>
          {t('export.gpx')}
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
