import { Download, FileSpreadsheet, FileText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ListShown } from '@/list/resource';
import { IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { useExport } from '../use-export';
import { ExportProgress } from './export-progress';

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
