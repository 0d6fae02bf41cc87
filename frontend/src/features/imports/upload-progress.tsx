import { FileSpreadsheet } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import type { ImportState } from './use-import';

interface UploadProgressProps {
  state: Extract<ImportState, { status: 'busy' }>;
  onCancel: () => void;
}

export function UploadProgress({ state, onCancel }: UploadProgressProps) {
  const { t } = useTranslation(['imports', 'common']);
  const { file, step, share } = state;
  const uploading = step === 'upload';
  return (
    <Panel
      aria-label={t('progress.title')}
      className="flex min-h-64 flex-col items-center justify-center px-6 py-10"
    >
      <div className="w-full max-w-md">
        <div className="flex items-center gap-3">
          <FileSpreadsheet aria-hidden className="size-6 shrink-0 text-accent" />
          <div className="min-w-0 flex-1">
            <p className="truncate text-sm font-medium">{file.name}</p>
            <p className="text-xs text-muted tabular-nums">
              {uploading
                ? t('progress.bytes', {
                    sent: formatBytes(Math.round(share * file.size)),
                    size: formatBytes(file.size),
                  })
                : formatBytes(file.size)}
            </p>
          </div>
          <span className="text-sm text-muted tabular-nums">
            {uploading && `${Math.round(share * 100)}%`}
          </span>
        </div>
        <ProgressBar
          className="mt-3"
          label={t('progress.label', { name: file.name })}
          value={uploading ? share : undefined}
        />
        <div className="mt-3 flex items-center justify-between gap-3">
          <p role="status" className="text-sm text-muted">
            {t(`progress.steps.${step}`)}
          </p>
          {/* Once started, the import runs on the server and survives leaving the page. */}
          <Button onClick={onCancel} disabled={step === 'start'}>
            {t('common:cancel')}
          </Button>
        </div>
      </div>
    </Panel>
  );
}
