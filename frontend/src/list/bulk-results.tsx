import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Note } from '@/ui/note';
import type { BulkResult } from './use-bulk-run';

interface BulkResultsProps {
  results: readonly BulkResult[];
  /** Left as they were, since the run was stopped before them. */
  skipped: number;
}

/** What came of each: how many went well, and every one that did not with what was said of it. */
export function BulkResults({ results, skipped }: BulkResultsProps) {
  const { t } = useTranslation('list');
  const summary = useRef<HTMLDivElement>(null);
  const failed = results.filter(({ ok }) => !ok);
  const done = results.length - failed.length;

  // The button that started it is gone.
  useEffect(() => summary.current?.focus(), []);

  const counted = [
    t('bulk.done', { count: done, shown: formatCount(done) }),
    failed.length > 0 && t('bulk.failed', { count: failed.length, shown: formatCount(failed.length) }),
    skipped > 0 && t('bulk.skipped', { count: skipped, shown: formatCount(skipped) }),
  ];
  return (
    <div className="flex flex-col gap-3">
      <Note
        ref={summary}
        tone={failed.length > 0 || skipped > 0 ? 'warn' : 'ok'}
        role="status"
        title={counted.filter(Boolean).join(', ')}
      />
      {failed.length > 0 && (
        <ul
          aria-label={t('bulk.failedList')}
          // Scrolls, so keys must reach it.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          className="max-h-72 divide-y divide-line overflow-auto rounded-control border border-line"
        >
          {failed.map(({ deliveryId, text }) => (
            <li key={deliveryId} className="px-3 py-2 text-sm">
              <span className="font-medium tabular-nums wrap-anywhere">{deliveryId}</span>
              <span className="block text-muted">{text ?? t('common:somethingWrong')}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
