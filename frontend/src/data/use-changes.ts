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
  useChanges(currentUserChangedSubscription, NO_VARIABLES, (told) => {
    const user = readCurrentUser(told?.currentUserChanged);
    if (user) store?.update(user);
    else void store?.refresh();
  });
}

/** Emits the ID of each changed delivery: of the given ones, or of all that the user may read. */
export const deliveryChangedSubscription = graphql(`
  subscription DeliveryChanged($ids: [String!]) {
    deliveryChanged(ids: $ids) {
      id
    }
  }
`);

/** Calls back when one of these deliveries changed elsewhere; without IDs, when any did. */
export function useDeliveryChanges(ids: readonly string[] | undefined, onChange: () => void): void {
  const variables = ids ? { ids: [...ids] } : {};
  useChanges(deliveryChangedSubscription, variables, onChange, { enabled: ids?.length !== 0 });
}

/** Debounce, in milliseconds: changes that arrive together cause one read. */
const GATHER_MS = 150;
const PACE_MS = 800;

interface Options {
  /** Minimum interval between calls, in milliseconds. */
  pace?: number;
  /** Subscribes to nothing while false. */
  enabled?: boolean;
}

/**
 * Calls back when something of a subscription changed elsewhere, with what was told last, and when
 * some change may have been missed, with nothing: soon, though not for each of many, and not while
 * nobody looks. Silent where subscriptions do not work.
 */
export function useChanges<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables> | undefined,
  variables: Variables,
  onChange: (told?: Data) => void,
  { pace = PACE_MS, enabled = true }: Options = {},
): void {
  const client = useClient();
  const tell = useEffectEvent(onChange);
  const asked = JSON.stringify(variables);

  useEffect(() => {
    if (!document || !enabled) return undefined;
    const query = document;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    let isWaiting = false;
    let isBroken = false;
    let told: Data | undefined;

    function fire() {
      timer = undefined;
      if (window.document.hidden) {
        isWaiting = true;
        return;
      }
      isWaiting = false;
      last = Date.now();
      tell(told);
      told = undefined;
    }
    function note(newest?: Data) {
      told = newest;
      timer ??= setTimeout(fire, Math.max(GATHER_MS, last + pace - Date.now()));
    }
    function subscribe() {
      isBroken = false;
      return client
        .subscription(query, JSON.parse(asked) as Variables)
        .subscribe(({ data, error }) => {
          if (data) note(data);
          if (error) isBroken = true;
        });
    }
    function resubscribe() {
      subscription.unsubscribe();
      subscription = subscribe();
      note();
    }
    function look() {
      if (window.document.hidden) return;
      if (isWaiting) note(told);
      // The connection gave this subscription up; try again when the user returns to the tab.
      if (isBroken) resubscribe();
    }

    let subscription = subscribe();
    const stopReconnect = liveOf(client).onReconnect((isRenewed) => {
      if (isRenewed) resubscribe();
      else note();
    });
    window.document.addEventListener('visibilitychange', look);
    window.addEventListener('online', look);
    return () => {
      clearTimeout(timer);
      subscription.unsubscribe();
      stopReconnect();
      window.document.removeEventListener('visibilitychange', look);
      window.removeEventListener('online', look);
    };
  }, [client, document, asked, pace, enabled]);
}
