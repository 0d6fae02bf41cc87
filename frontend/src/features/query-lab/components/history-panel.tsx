import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { SidePanel } from '@/ui/side-panel';
import type { HistoryEntry } from '../use-lab';

interface HistoryPanelProps {
  history: readonly HistoryEntry[];
  titleOf: (text: string) => string;
  onOpen: (text: string) => void;
  onForget: () => void;
  onClose: () => void;
}

/** What was run in this browser, the last first. */
export function HistoryPanel({ history, titleOf, onOpen, onForget, onClose }: HistoryPanelProps) {
  const { t } = useTranslation('query-lab');
  const timeZone = useTimeZone();
  return (
    <SidePanel title={t('history.title')} subtitle={t('history.note')} onClose={onClose}>
      {history.length === 0 ? (
        <p className="text-sm text-muted">{t('history.none')}</p>
      ) : (
        <>
          <ul className="flex flex-col divide-y divide-line">
            {history.map(({ at, text, rows, ms }) => (
              <li key={`${at} ${text}`}>
                <button
                  type="button"
                  className="w-full rounded-control px-2 py-2.5 text-left text-sm hover:bg-raised focus-visible:-outline-offset-2"
                  onClick={() => onOpen(text)}
                >
                  <span className="block truncate font-medium">{titleOf(text)}</span>
                  <span className="block text-xs text-muted tabular-nums">
                    {formatDateTime(at, timeZone)}
                    {' · '}
                    {rows === null
                      ? t('history.failed')
                      : t('history.rows', { count: rows, shown: formatCount(rows), seconds: (ms / 1000).toFixed(2) })}
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <Button className="mt-4" onClick={onForget}>
            {t('history.clear')}
          </Button>
        </>
      )}
    </SidePanel>
  );
}
