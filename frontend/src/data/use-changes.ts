import type { AnyVariables, TypedDocumentNode } from '@urql/core';
import { use, useEffect, useEffectEvent } from 'react';
import { useClient } from 'urql';
import { readCurrentUser } from '@/auth/current-user';
import { AuthContext } from '@/auth/use-auth';
import { graphql } from './graphql';
import { liveOf } from './live';

/** Emits the current user whenever it changes. */
export const currentUserChangedSubscription = graphql(`
  subscription CurrentUserChanged {
    currentUserChanged
  }
`);

const NO_VARIABLES = {};

/** Keeps the signed-in user's announcements, roles and name up to date without a reload. */
export function useCurrentUserChanges(): void {
  const store = use(AuthContext);
  useChanges(currentUserChangedSubscription, NO_VARIABLES, (change) => {
    const user = readCurrentUser(change?.currentUserChanged);
    if (user) store?.update(user);
    else void store?.refresh();
  });
}

/** Emits true when any delivery has changed, at most once a second. */
export const deliveriesChangedSubscription = graphql(`
  subscription DeliveriesChanged {
    deliveriesChanged
  }
`);

/** Emits the ID of each of the given deliveries when it has changed. */
const deliveryChangedSubscription = graphql(`
  subscription DeliveryChanged($ids: [String!]!) {
    deliveryChanged(ids: $ids) {
      id
    }
  }
`);

/** Calls back when one of these deliveries was changed elsewhere. */
export function useDeliveryChanges(ids: readonly string[], onChange: () => void): void {
  useChanges(deliveryChangedSubscription, { ids: [...ids] }, onChange, { enabled: ids.length > 0 });
}

/** Debounce, in milliseconds: changes that arrive together cause one read. */
const GATHER_MS = 150;
const PACE_MS = 800;
/** Maximum interval, in milliseconds, for lists of all deliveries, which change all the time on a busy day. */
export const BUSY_PACE_MS = 5000;
/**
 * Maximum random delay, in milliseconds, that is added for lists with a busy pace. All open lists learn of a change, or of
 * a lost connection, at the same moment and must not all read at once.
 */
const SPREAD_MS = 200;
/** Factor by which each interval grows while changes continue. */
const SLOWING = 1.5;

interface Options {
  /** Minimum interval between calls, in milliseconds. */
  pace?: number;
  /** The minimum interval grows to this while changes go on without a break. */
  busyPace?: number;
  /** While false, nothing is subscribed to. */
  enabled?: boolean;
}

/**
 * Subscribes to changes made elsewhere. Calls back with the latest event, or with undefined after a late or lost
 * connection, when events may have been missed. Calls are throttled, and wait until the tab is visible. Does nothing if
 * subscriptions are unavailable.
 */
export function useChanges<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables> | undefined,
  variables: Variables,
  onChange: (change?: Data) => void,
  { pace = PACE_MS, busyPace = pace, enabled = true }: Options = {},
): void {
  const client = useClient();
  const callback = useEffectEvent(onChange);
  const key = JSON.stringify(variables);

  useEffect(() => {
    if (!document || !enabled) return undefined;
    const query = document;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    let interval = pace;
    let isWaiting = false;
    let isBroken = false;
    let isOver = false;
    let latest: Data | undefined;

    function flush() {
      timer = undefined;
      if (window.document.hidden) {
        isWaiting = true;
        return;
      }
      isWaiting = false;
      last = Date.now();
      callback(latest);
      latest = undefined;
    }
    function schedule(change?: Data) {
      latest = change;
      if (timer !== undefined) return;
      const since = Date.now() - last;
      const isFirst = since >= 2 * interval;
      if (isFirst) interval = pace;
      const spread = busyPace > pace ? Math.random() * SPREAD_MS : 0;
      timer = setTimeout(flush, Math.max(GATHER_MS, interval - since) + spread);
      if (!isFirst) interval = Math.max(pace, Math.min(busyPace, interval * SLOWING));
    }
    function subscribe() {
      isBroken = false;
      return client
        .subscription(query, JSON.parse(key) as Variables)
        .subscribe(({ data, error, hasNext }) => {
          // The end of a subscription repeats its last event.
          if (data && hasNext) schedule(data);
          if (error || !hasNext) isBroken = true;
        });
    }
    function resubscribe() {
      schedule();
      subscription?.unsubscribe();
      subscription = undefined;
      // Screens with the same variables share a subscription, which ends when all of them have left it. Joining it again
      // before that would keep the ended one.
      queueMicrotask(() => {
        if (!isOver) subscription ??= subscribe();
      });
    }
    function onVisible() {
      if (window.document.hidden) return;
      if (isWaiting) schedule(latest);
      // This subscription has ended, so subscribe again when the user returns to the tab or is online again.
      if (isBroken) resubscribe();
    }

    let subscription: ReturnType<typeof subscribe> | undefined = subscribe();
    const stopReconnect = liveOf(client).onReconnect((isRenewed) => {
      if (isRenewed || isBroken) resubscribe();
      else schedule();
    });
    window.document.addEventListener('visibilitychange', onVisible);
    window.addEventListener('online', onVisible);
    return () => {
      isOver = true;
      clearTimeout(timer);
      subscription?.unsubscribe();
      stopReconnect();
      window.document.removeEventListener('visibilitychange', onVisible);
      window.removeEventListener('online', onVisible);
    };
  }, [client, document, key, pace, busyPace, enabled]);
}
