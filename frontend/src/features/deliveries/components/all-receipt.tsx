import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Note } from '@/ui/note';
import type { BulkChange } from '../bulk-change-queries';
import { LeftOut } from './left-out';

/** What came of a change of all that match. */
export function AllReceipt({ change }: { change: BulkChange }) {
  const { t } = useTranslation('deliveries-list');
  const summary = useRef<HTMLDivElement>(null);
  // The button that started it is gone.
  useEffect(() => summary.current?.focus(), []);
  const { state, changed, failed, leftOut, failureText } = change;
  const left = leftOut.reduce((sum, { count }) => sum + count, 0);
  const said = [
    t('all.changed', { count: changed, shown: formatCount(changed) }),
    left > 0 && t('all.leftOut', { count: left, shown: formatCount(left) }),
    failed > 0 && t('all.failed', { count: failed, shown: formatCount(failed) }),
  ];
  const isWhole = state === 'done' && failed === 0;
  const early = state === 'failed' ? t('all.state.failed') : state === 'cancelled' && t('all.state.cancelled');
  return (
    <div className="flex flex-col gap-3">
      <Note
        ref={summary}
        tone={isWhole ? 'ok' : 'warn'}
        role="status"
        title={[early, said.filter(Boolean).join(', ')].filter(Boolean).join(': ')}
      >
        {state === 'failed' && failureText}
        {state === 'cancelled' && t('all.stoppedText')}
      </Note>
      <LeftOut reasons={leftOut} />
    </div>
  );
}
