import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { useOutcomeSentence } from './import-outcome';
import type { UploadLog } from './queries';
import { isBusy } from './upload-status';

type Seen = Partial<Pick<UploadLog, 'id' | 'status'>> & { hasEnded: boolean };

/**
 * Returns what to announce once an import, check or undo has ended while the page was open; else an empty text. A failed
 * import or correction is an alert of its own.
 */
export function useOutcomeText(log: UploadLog | null | undefined): string {
  const { t } = useTranslation(['imports', 'common']);
  const sentenceOf = useOutcomeSentence();
  const [seen, setSeen] = useState<Seen>({ hasEnded: false });
  if (log && (log.id !== seen.id || log.status !== seen.status)) {
    const { id, status } = log;
    // A small import can finish before the page ever reads a running status.
    setSeen({ id, status, hasEnded: id === seen.id && !isBusy(status) });
  }
  if (!log || !seen.hasEnded) return '';
  if (log.status === 'failed' || (log.status === 'imported_with_errors' && log.failureText !== null)) return '';

  const name = t(`common:status.upload.${log.status}`);
  if (log.status === 'needs_mapping') return name;
  const { undoReport: undo, undoFailureText, rowsFailed } = log;
  const counts = undo
    ? [
        ...(undoFailureText ? [undoFailureText] : []),
        ...(['reversed', 'kept', 'errored'] as const).map((part) => `${t(`undo.result.${part}`)}: ${formatCount(undo[part])}`),
      ]
    : [sentenceOf(log), ...(rowsFailed > 0 ? [`${t('outcome.refused')}: ${formatCount(rowsFailed)}`] : [])];
  return [name, ...counts].map((part) => part.replace(/\.?$/, '.')).join(' ');
}
