import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { bulkChangesQuery, markSeen, useSeen, verbOf } from './change-all';

// Loaded only when needed, since on most visits to the list there is no bulk change.
const ChangeDialog = lazy(async () => ({ default: (await import('./all-dialog')).ChangeDialog }));

const LOOK = 2_000;
/** How long results are shown: a day, in milliseconds. */
const SHOWN_FOR = 86_400_000;

const isNews = ({ finishedAt }: { finishedAt: string | null }) =>
  finishedAt === null || Date.now() - Date.parse(finishedAt) < SHOWN_FOR;

/** Bulk changes that are running, or whose result the user has not seen yet. */
export function ChangesUnderWay() {
  const { t } = useTranslation('deliveries-list');
  const result = useRecord({
    document: bulkChangesQuery,
    variables: {},
    typenames: ['BulkChange'],
    read: ({ bulkChanges }) => bulkChanges,
  });
  const isSeen = useSeen();
  const [openId, setOpenId] = useState<string>();
  const changes = (result.value ?? []).filter((change) => isNews(change) && !isSeen(change.id));
  const running = changes.some(({ finishedAt }) => !finishedAt);
  usePolling(result.refresh, running ? LOOK : undefined);

  function leave(id: string) {
    markSeen(id);
    setOpenId(undefined);
  }

  return (
    <>
      {changes.length > 0 && (
        <ul aria-label={t('all.title')} className="mb-3 flex flex-col gap-2">
          {changes.slice(0, 3).map(({ id, verb, done, total, changed, finishedAt }) => (
            <li
              key={id}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-control border border-line bg-surface px-3 py-1.5 text-sm"
            >
              <span className="font-medium">{t(`all.strip.${verbOf(verb)}`)}</span>
              <span className="text-muted tabular-nums">
                {finishedAt
                  ? t('all.changed', { count: changed, shown: formatCount(changed) })
                  : t('all.progress', { done: formatCount(done), total: formatCount(total) })}
              </span>
              <span className="ms-auto flex gap-2">
                <Button size={28} onClick={() => setOpenId(id)}>
                  {t('all.show')}
                </Button>
                {finishedAt && (
                  <Button size={28} variant="ghost" onClick={() => leave(id)}>
                    {t('all.dismiss')}
                  </Button>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {openId !== undefined && (
        <Suspense>
          <ChangeDialog id={openId} onSeen={() => leave(openId)} onClose={() => setOpenId(undefined)} />
        </Suspense>
      )}
    </>
  );
}
