import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Note } from '@/ui/note';
import type { ZipResult } from '../zip-forms';

const list =
  'max-h-60 divide-y divide-line overflow-auto rounded-control border border-line text-sm';

/** What is in the ZIP, and every form that is not, with what was said of it. */
export function ZipResultNote({ result }: { result: ZipResult }) {
  const { t } = useTranslation('forms');
  const { saved, missing, failed } = result;
  const summary = useRef<HTMLDivElement>(null);
  const isAll = missing.length + failed.length === 0;

  // The button that started it is gone.
  useEffect(() => summary.current?.focus(), []);

  return (
    <div className="flex flex-col gap-4">
      <Note
        ref={summary}
        role="status"
        tone={saved === 0 ? 'bad' : isAll ? 'ok' : 'warn'}
        title={t(saved === 0 ? 'zip.nothing' : 'zip.saved', {
          count: saved,
          shown: formatCount(saved),
        })}
      />
      {failed.length > 0 && (
        <div>
          <h3 id="zip-failed" className="mb-1 text-sm font-semibold">
            {t('zip.failed', { count: failed.length, shown: formatCount(failed.length) })}
          </h3>
          {/* Scrolls, so keys must reach it. */}
          <ul aria-labelledby="zip-failed" tabIndex={0} className={list}>
            {failed.map(({ deliveryId, text }) => (
              <li key={deliveryId} className="px-3 py-2">
                <span className="font-medium tabular-nums wrap-anywhere">{deliveryId}</span>
                <span className="block text-muted">{text}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {missing.length > 0 && (
        <div>
          <h3 id="zip-missing" className="mb-1 text-sm font-semibold">
            {t('zip.missing', { count: missing.length, shown: formatCount(missing.length) })}
          </h3>
          <p className="mb-1 text-xs text-muted">{t('zip.missingText')}</p>
          <ul aria-labelledby="zip-missing" tabIndex={0} className={list}>
            {missing.map((deliveryId) => (
              <li key={deliveryId} className="px-3 py-1.5 tabular-nums wrap-anywhere">
                {deliveryId}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
