// The subscriptions of a page over one WebSocket, using the graphql-transport-ws protocol. The library is loaded with
// the first subscription. No screen depends on subscriptions: without a connection, screens just do not update by
// themselves.
import type { Client as GraphqlClient, SubscriptionForwarder } from '@urql/core';
import type { Client } from 'graphql-ws';

export interface LiveOptions {
  getToken: () => Promise<string | null>;
  /** Called if the server closes the connection because its session ended. */
  onUnauthenticated: () => void;
  /** The number of sign-ins and sign-outs so far. */
  getSignInCount: () => number;
  /** Path of the GraphQL endpoint. */
  url: string;
}

const FIRST_TRIES = 5;
const LONGEST_WAIT_MS = 30_000;
const PING_MS = 20_000;
const PONG_MS = 5000;
/** The server's close code for an ended session. */
const UNAUTHENTICATED = 4401;

/** The subscriptions of one client, and so of one session. */
export interface Live {
  /** Forwards subscriptions of urql to the socket. */
  forward: SubscriptionForwarder;
  /** Calls the watcher with the connection state immediately, and whenever it changes. */
  watchConnection: (watcher: (isOpen: boolean) => void) => () => void;
  /**
   * Calls the listener after a reconnect, since events may have been missed. `isRenewed` is true if the
   * subscriptions of the old connection ended and must be set up again.
   */
  onReconnect: (listener: (isRenewed: boolean) => void) => () => void;
  /** Replaces the connection of an earlier session with one for the current session. */
  renew: () => void;
  /** Closes the connection. A later subscription opens a new one. */
  close: () => void;
}

const lives = new WeakMap<GraphqlClient, Live>();

export function attachLive(client: GraphqlClient, live: Live): void {
  lives.set(client, live);
}

export function liveOf(client: GraphqlClient): Live {
  const live = lives.get(client);
  if (!live) throw new Error('The client has no subscriptions');
  return live;
}

function socketAddress(path: string): string {
  const address = new URL(path, window.location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  return address.href;
}

function waitBefore(tries: number): Promise<void> {
  const wait = Math.min(LONGEST_WAIT_MS, 1000 * 2 ** tries);
  // Jitter keeps browsers that lost their connection together from reconnecting together.
  const spread = wait * (0.5 + Math.random() / 2);
  return new Promise((resolve) => setTimeout(resolve, spread));
}

interface ConnectionHandlers {
  onOpen: () => void;
  onReopen: () => void;
  onClose: () => void;
  /** Called when the server has ended the session. `signInCount` is the count at which the connection was opened. */
  onRefused: (signInCount: number) => void;
}

async function connect({ getToken, getSignInCount, url }: LiveOptions, handlers: ConnectionHandlers): Promise<Client> {
  const { createClient } = await import('graphql-ws');
  let wasConnected = false;
  let signInCount = getSignInCount();
  let tries = 0;
  let pong: ReturnType<typeof setTimeout> | undefined;
  const client = createClient({
    url: () => socketAddress(url),
    // Get a token for each connection, because the last one may have expired.
    connectionParams: async () => {
      signInCount = getSignInCount();
      const token = await getToken();
      if (!token) throw new Error('Nobody is signed in');
      return { authorization: `Bearer ${token}` };
    },
    // Navigating between pages must not reconnect.
    lazyCloseTimeout: 3000,
    keepAlive: PING_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: waitBefore,
    // Give up if the server never answered: it, or a proxy in front of it, may not support the protocol.
    shouldRetry: () => wasConnected || ++tries < FIRST_TRIES,
    on: {
      connected: () => {
        if (wasConnected) handlers.onReopen();
        wasConnected = true;
        handlers.onOpen();
      },
      // A connection can be lost without a close event, for example while a laptop sleeps.
      ping: (received) => {
        if (received) return;
        pong = setTimeout(() => client.terminate(), PONG_MS);
      },
      pong: (received) => {
        if (received) clearTimeout(pong);
      },
      closed: (event) => {
        clearTimeout(pong);
        handlers.onClose();
        if ((event as CloseEvent).code === UNAUTHENTICATED) handlers.onRefused(signInCount);
      },
    },
  });
  return client;
}

export function createLive(options: LiveOptions): Live {
  const reconnected = new Set<(isRenewed: boolean) => void>();
  const watchers = new Set<(isOpen: boolean) => void>();
  let isConnected = false;
  let client: Promise<Client> | undefined;

  function setConnected(isOpen: boolean) {
    if (isConnected === isOpen) return;
    isConnected = isOpen;
    for (const watcher of watchers) watcher(isOpen);
  }

  function begin(): Promise<Client> {
    // A socket that was given up may still emit events; ignore them.
    const ifCurrent =
      <Args extends unknown[]>(handler: (...args: Args) => void) =>
      (...args: Args) => {
        if (client === own) handler(...args);
      };
    const own = connect(options, {
      onOpen: ifCurrent(() => setConnected(true)),
      onReopen: ifCurrent(() => {
        for (const listener of reconnected) listener(false);
      }),
      onClose: ifCurrent(() => setConnected(false)),
      onRefused: ifCurrent((signInCount: number) => {
        // A connection can stay open for seconds after its session has ended, and the user may have signed in again by
        // then.
        if (signInCount === options.getSignInCount()) options.onUnauthenticated();
        else renew();
      }),
    });
    return own;
  }

  function close() {
    const own = client;
    client = undefined;
    setConnected(false);
    // The client exists only if there was a subscription.
    own?.then((opened) => opened.dispose()).catch(() => undefined);
  }

  function renew() {
    close();
    for (const listener of reconnected) listener(true);
  }

  const forward: SubscriptionForwarder = ({ query = '', variables }) => ({
    subscribe(sink) {
      let end: (() => void) | undefined;
      let isOver = false;
      if (typeof WebSocket === 'undefined') return { unsubscribe: () => undefined };
      client ??= begin();
      const own = client;
      function fail(error: unknown) {
        // After giving up, the client would delay the next subscription, so start a new client. An array means an error
        // response, so the server can be reached.
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

  return {
    forward,
    watchConnection(watcher) {
      watchers.add(watcher);
      watcher(isConnected);
      return () => watchers.delete(watcher);
    },
    onReconnect(listener) {
      reconnected.add(listener);
      return () => reconnected.delete(listener);
    },
    renew,
    close,
  };
}
