import type { AnyVariables, TypedDocumentNode } from '@urql/core';
import { useEffect, useEffectEvent } from 'react';
import { useClient } from 'urql';
import { liveOf } from './live';

/** Changes that come together are read together. */
const GATHER_MS = 150;
const PACE_MS = 800;

interface Options {
  /** At most one call in so many milliseconds. */
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
    function look() {
      if (window.document.hidden) return;
      if (isWaiting) note(told);
      if (!isBroken) return;
      // Given up by the connection; somebody who comes back is a reason to try anew.
      subscription.unsubscribe();
      subscription = subscribe();
      note();
    }

    let subscription = subscribe();
    const stopReconnect = liveOf(client).onReconnect(() => note());
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
