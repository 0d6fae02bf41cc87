import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CombinedError, useClient } from 'urql';
import { UNCACHED } from '@/data/client';
import { liveOf } from '@/data/live';
import { serverNow } from '@/data/server-clock';
import { useTimeZone } from '@/data/use-time-zone';
import { formatTime } from '@/lib/dates';
import { cn } from '@/ui/cn';
import { Note } from '@/ui/note';
import { seenAgo } from './freshness';
import { createLocationStore, type LocationStore } from './location-store';
import { driverLocationsQuery, driverPositionsSubscription } from './queries';

/** Polling interval in milliseconds, while there is no connection. */
const POLL_MS = 10_000;
/** Maximum number of pages to catch up; the server returns two thousand drivers per page. */
const MAX_PAGES = 20;

type LiveStatus = 'loading' | 'failed' | 'connecting' | 'live' | 'lost';

export interface LiveLocations {
  store: LocationStore;
  status: LiveStatus;
  /** Error of the first load; later failures keep the known positions. */
  error: CombinedError | undefined;
  /** Time of the last update in milliseconds since the epoch. */
  heardAt: number | undefined;
  retry: () => void;
}

/**
 * Loads the last positions of all drivers, then subscribes to updates. After a reconnect it continues after the
 * last update that it received. While disconnected it polls. Pauses while the tab is hidden, since the server records who
 * looks at positions.
 */
export function useLiveLocations(): LiveLocations {
  const client = useClient();
  const store = useMemo(() => createLocationStore(), []);
  const [status, setStatus] = useState<LiveStatus>('loading');
  const [error, setError] = useState<CombinedError>();
  const [heardAt, setHeardAt] = useState<number>();
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    let isOver = false;
    let isLoaded = false;
    let isOpen = false;
    let wasOpen = false;
    let cursor: string | undefined;
    let poll: ReturnType<typeof setTimeout> | undefined;
    let subscription: { unsubscribe: () => void } | undefined;
    let isBroken = false;

    const variables = () => (cursor === undefined ? {} : { after: cursor });
    const connection = () => (isOpen ? 'live' : wasOpen ? 'lost' : 'connecting');

    async function catchUp(): Promise<CombinedError | undefined> {
      for (let page = 0; page < MAX_PAGES; page += 1) {
        // oxlint-disable-next-line no-await-in-loop -- each page starts after the previous one
        const answer = await client.query(driverLocationsQuery, variables(), UNCACHED).toPromise();
        if (isOver) return undefined;
        const found = answer.data?.driverLocations;
        if (!found) return answer.error;
        receive(found);
        if (!found.more) break;
      }
      return undefined;
    }

    function receive({ locations, cursor: next }: { locations: Parameters<LocationStore['apply']>[0]; cursor: string }) {
      store.apply(locations);
      if (next) cursor = next;
      setHeardAt(serverNow());
    }

    function listen() {
      subscription?.unsubscribe();
      isBroken = false;
      subscription = client
        .subscription(driverPositionsSubscription, variables())
        .subscribe(({ data, error: broken }) => {
          if (data) {
            receive(data.driverPositionsChanged);
            // After an error, the connection may never have been lost, so only this shows that it works again.
            setStatus(connection());
          }
          if (!broken) return;
          isBroken = true;
          setStatus('lost');
          schedulePoll();
        });
    }

    /** Schedules the next poll while there is no connection. */
    function schedulePoll() {
      poll ??= setTimeout(() => {
        poll = undefined;
        if (isOver || (isOpen && !isBroken)) return;
        void catchUp().then(() => {
          if (isOver || document.hidden) return;
          if (isBroken) listen();
          schedulePoll();
        });
      }, POLL_MS);
    }

    function follow() {
      wasOpen ||= isOpen;
      setStatus(connection());
      if (document.hidden) return;
      listen();
      schedulePoll();
    }

    function pause() {
      clearTimeout(poll);
      poll = undefined;
      subscription?.unsubscribe();
      subscription = undefined;
    }

    async function resume() {
      await catchUp();
      if (!isOver && !subscription) follow();
    }

    function onVisibility() {
      if (!isLoaded) return;
      if (document.hidden) pause();
      else void resume();
    }

    const stopWatching = liveOf(client).watchConnection((next) => {
      isOpen = next;
      if (isOver || !subscription) return;
      // Subscribe again, because the old subscription would resume at its original starting point.
      if (isOpen && wasOpen) listen();
      wasOpen ||= isOpen;
      setStatus(connection());
      if (!isOpen) schedulePoll();
    });

    void catchUp().then((failure) => {
      if (isOver) return;
      if (failure) {
        setError(failure);
        setStatus('failed');
        return;
      }
      setError(undefined);
      isLoaded = true;
      follow();
    });

    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', onVisibility);
      pause();
      stopWatching();
    };
  }, [client, store, attempt]);

  function retry() {
    setStatus('loading');
    setAttempt((count) => count + 1);
  }
  return { store, status, error, heardAt, retry };
}

interface LiveNoteProps {
  status: LiveStatus;
  heardAt: number | undefined;
  now: number;
  className?: string;
}

/** Shows whether positions are live: a green dot and the last update, or the problem. */
export function LiveNote({ status, heardAt, now, className }: LiveNoteProps) {
  const { t } = useTranslation('tracker');
  const timeZone = useTimeZone();
  const isLive = status === 'live';
  const text =
    heardAt === undefined
      ? t('live.connecting')
      : t(isLive ? 'live.live' : 'live.notLive', {
          ago: seenAgo(heardAt, now),
          time: formatTime(heardAt, timeZone),
        });
  return (
    <p className={cn('flex items-center gap-2 text-xs text-muted tabular-nums', className)}>
      <span
        aria-hidden
        className={cn('size-2 shrink-0 rounded-full', isLive ? 'bg-chart-ok' : 'bg-chart-idle')}
      />
      {text}
    </p>
  );
}

/** Warns that the connection was lost, and since when positions are outdated. */
export function LostBanner({ heardAt }: { heardAt: number | undefined }) {
  const { t } = useTranslation('tracker');
  const timeZone = useTimeZone();
  return (
    <Note tone="warn" role="status" title={t('lost.title')} className="shadow-float">
      {heardAt !== undefined && t('lost.text', { time: formatTime(heardAt, timeZone) })}
    </Note>
  );
}
