import { Suspense, useReducer, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { lazyPart } from '@/ui/lazy-part';
import { bulkChangesQuery, isUndoable, type ListedChange, markSeen, useSeen, verbOf } from './change-all';
import { useOfferUndo, useUndo } from './offer-undo';

// Loaded only when needed, since on most visits to the list there is no bulk change.
const ChangeDialog = lazyPart(
  async () => ({ default: (await import('./all-dialog')).ChangeDialog }),
  ({ onClose }) => onClose(),
);

const LOOK = 2_000;
/** How often to check whether a change can still be undone, in milliseconds. */
const UNDO_LOOK = 10_000;
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
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  usePolling(renderAgain, changes.some(isUndoable) ? UNDO_LOOK : undefined);
  const offerUndo = useOfferUndo();

  return (
    <>
      {changes.length > 0 && (
        <ul aria-label={t('all.title')} className="mb-3 flex flex-col gap-2">
          {changes.slice(0, 3).map((change) => (
            <ChangeRow
              key={change.id}
              change={change}
              onShow={() => setOpenId(change.id)}
              onDismiss={() => markSeen(change.id)}
            />
          ))}
        </ul>
      )}
      {openId !== undefined && (
        <Suspense>
          <ChangeDialog
            id={openId}
            onSeen={(change) => {
              markSeen(openId);
              setOpenId(undefined);
              if (isUndoable(change)) offerUndo(openId, change.changed);
            }}
            onClose={() => setOpenId(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

interface ChangeRowProps {
  change: ListedChange;
  onShow: () => void;
  onDismiss: () => void;
}

/** Progress or result of one bulk change. */
function ChangeRow({ change, onShow, onDismiss }: ChangeRowProps) {
  const { t } = useTranslation('deliveries-list');
  const undo = useUndo();
  const [isUndoing, setUndoing] = useState(false);
  const { verb, done, total, changed, finishedAt } = change;
  const name = t(`all.strip.${verbOf(verb)}`);

  async function startUndo() {
    if (isUndoing) return;
    setUndoing(true);
    if (await undo(change.id)) onDismiss();
    setUndoing(false);
  }

  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-control border border-line bg-surface px-3 py-1.5 text-sm">
      <span className="font-medium">{name}</span>
      <span className="text-muted tabular-nums">
        {finishedAt
          ? t('all.changed', { count: changed, shown: formatCount(changed) })
          : t('all.progress', { done: formatCount(done), total: formatCount(total) })}
      </span>
      <span className="ms-auto flex gap-2">
        <Button size={28} onClick={onShow}>
          {t('all.show')}
        </Button>
        {isUndoable(change) && (
          <Button
            size={28}
            aria-label={t('undo.actionOf', { name })}
            aria-disabled={isUndoing || undefined}
            onClick={() => void startUndo()}
          >
            {t('undo.action')}
          </Button>
        )}
        {finishedAt && (
          <Button size={28} variant="ghost" onClick={onDismiss}>
            {t('all.dismiss')}
          </Button>
        )}
      </span>
    </li>
  );
}
