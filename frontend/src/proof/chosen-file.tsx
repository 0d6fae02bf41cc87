import { Check, FileText, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '@/lib/numbers';
import { IconButton } from '@/ui/button';
import { ProgressBar } from '@/ui/progress-bar';
import type { Evidence } from './use-evidence';
import { usePreview } from './use-preview';

interface ChosenFileProps {
  entry: Evidence;
  onRemove: () => void;
}

/** A chosen file on its way. Once it is kept it stays. */
export function ChosenFile({ entry, onRemove }: ChosenFileProps) {
  const { t } = useTranslation('proof');
  const { file, state, share, message } = entry;
  const preview = usePreview(file);
  return (
    <li className="flex items-center gap-3 rounded-control border border-line p-2">
      <span className="flex size-11 shrink-0 items-center justify-center overflow-hidden rounded-box bg-raised text-muted">
        {preview ? (
          <img src={preview} alt="" className="h-full w-full object-cover" />
        ) : (
          <FileText aria-hidden className="size-5" />
        )}
      </span>
      <div className="min-w-0 flex-1 text-xs">
        <p className="truncate text-sm font-medium">{file.name}</p>
        {state === 'failed' ? (
          <p role="alert" className="text-bad">
            {message}
          </p>
        ) : (
          <p className="flex items-center gap-1 text-muted tabular-nums">
            {state === 'kept' && <Check aria-hidden className="size-3.5 text-ok" />}
            {formatBytes(file.size)} · {t(`chosen.${state}`)}
          </p>
        )}
        {state === 'sending' && (
          <ProgressBar
            thin
            className="mt-1"
            label={t('chosen.progress', { name: file.name })}
            value={share}
          />
        )}
      </div>
      {state !== 'kept' && (
        <IconButton
          icon={X}
          size={28}
          label={t('chosen.remove', { name: file.name })}
          disabled={state === 'sending'}
          onClick={onRemove}
        />
      )}
    </li>
  );
}
