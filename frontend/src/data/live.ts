// Subscriptions over one WebSocket for all of a page, by the graphql-transport-ws protocol. The
// library behind it is fetched when something first subscribes. What is shown never depends on it:
// where no connection can be had, the screens are as fresh as when they were read.
import type { SubscriptionForwarder } from '@urql/core';
import type { Client } from 'graphql-ws';

export interface LiveOptions {
  getToken: () => Promise<string | null>;
  /** Path of the GraphQL endpoint. */
  url: string;
}

const FIRST_TRIES = 5;
const LONGEST_WAIT_MS = 30_000;
const PING_MS = 20_000;
const PONG_MS = 5000;

const reconnected = new Set<() => void>();
const watchers = new Set<(isOpen: boolean) => void>();
let newest: object | undefined;
let isConnected = false;

function setConnected(connection: object, isOpen: boolean) {
  // Somebody else may have signed in before the connection of the one before was closed.
  if (connection !== newest || isConnected === isOpen) return;
  isConnected = isOpen;
  for (const watcher of watchers) watcher(isOpen);
}

/** Told whether there is a connection: at once, and whenever that changes. */
export function watchConnection(watcher: (isOpen: boolean) => void): () => void {
  watchers.add(watcher);
  watcher(isConnected);
  return () => watchers.delete(watcher);
}

/** Told when a connection that was lost is there again: what was sent meanwhile was missed. */
export function onReconnect(listener: () => void): () => void {
  reconnected.add(listener);
  return () => reconnected.delete(listener);
}

function socketAddress(path: string): string {
  const address = new URL(path, window.location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  return address.href;
}

function waitBefore(tries: number): Promise<void> {
  const wait = Math.min(LONGEST_WAIT_MS, 1000 * 2 ** tries);
  // Browsers that were cut off together do not come back together.
  const spread = wait * (0.5 + Math.random() / 2);
  return new Promise((resolve) => setTimeout(resolve, spread));
}

async function connect({ getToken, url }: LiveOptions): Promise<Client> {
  const { createClient } = await import('graphql-ws');
  const connection = {};
  newest = connection;
  setConnected(connection, false);
  let wasConnected = false;
  let tries = 0;
  let pong: ReturnType<typeof setTimeout> | undefined;
  const client = createClient({
    url: () => socketAddress(url),
    // Asked for each connection: the token of the last one may be over.
    connectionParams: async () => {
      const token = await getToken();
      if (!token) throw new Error('Nobody is signed in');
      return { authorization: `Bearer ${token}` };
    },
    // Leaving one page for another must not cost a connection.
    lazyCloseTimeout: 3000,
    keepAlive: PING_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: waitBefore,
    // A server that never answered may not know the protocol, or something before it does not.
    shouldRetry: () => wasConnected || ++tries < FIRST_TRIES,
    on: {
      connected: () => {
        if (wasConnected) for (const listener of reconnected) listener();
        wasConnected = true;
        setConnected(connection, true);
      },
      // A connection may be gone without a word, after a laptop slept for one.
      ping: (received) => {
        if (received) return;
        pong = setTimeout(() => client.terminate(), PONG_MS);
      },
      pong: (received) => {
        if (received) clearTimeout(pong);
      },
      closed: () => {
        clearTimeout(pong);
        setConnected(connection, false);
      },
    },
  });
  return client;
}

/** What urql hands its subscriptions to. */
export function createLive(options: LiveOptions): SubscriptionForwarder {
  let client: Promise<Client> | undefined;
  return ({ query = '', variables }) => ({
    subscribe(sink) {
      let end: (() => void) | undefined;
      let isOver = false;
      if (typeof WebSocket === 'undefined') return { unsubscribe: () => undefined };
      client ??= connect(options);
      const own = client;
      function fail(error: unknown) {
        // One that gave up would wait before it tries for the next subscription. An array is the
        // answer of a server that is there.
        if (!Array.isArray(error) && client === own) client = undefined;
        sink.error(error);
      }
      own.then((opened) => {
        if (isOver) return;
        end = opened.subscribe({ query, variables: variables ?? {} }, { ...sink, error: fail });
      }, fail);
      return {
        unsubscribe() {
          isOver = true;
          end?.();
        },
      };
    },
  });
}
