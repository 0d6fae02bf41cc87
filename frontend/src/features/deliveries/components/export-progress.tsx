import { X } from 'lucide-react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatCount } from '@/lib/numbers';
import type { ListShown } from '@/list/resource';
import { Button, IconButton } from '@/ui/button';
import { Note } from '@/ui/note';
import { ProgressBar } from '@/ui/progress-bar';
import type { ExportFormat } from '../export-address';
import type { ExportState } from '../use-export';

interface ExportProgressProps {
  state: ExportState;
  shown: ListShown;
  onCancel: () => void;
  onRetry: (format: ExportFormat) => void;
  onDismiss: () => void;
}

/** How far the export is, in a corner: the list can be used meanwhile. */
export function ExportProgress(props: ExportProgressProps) {
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
