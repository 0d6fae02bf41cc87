// The subscriptions of a page over one WebSocket, using the graphql-transport-ws protocol. The library is loaded with
// the first subscription. No screen depends on subscriptions: without a connection, screens just do not update by
// themselves.
import type { Client as GraphqlClient, SubscriptionForwarder } from '@urql/core';
import type { Client } from 'graphql-ws';

export interface LiveOptions {
  getToken: () => Promise<string | null>;
  /**
   * Called if the server closes the connection because its session ended. Returns whether the user is still signed in,
   * possibly with another session; undefined if that is unknown.
   */
  checkSession: () => Promise<boolean | undefined>;
  /** The number of sign-ins and sign-outs so far. */
  getSignInCount: () => number;
  /** Path of the GraphQL endpoint. */
  url: string;
}

/** A first connection that took longer counts as late. */
const LATE_MS = 200;
const FIRST_TRIES = 5;
const LONGEST_WAIT_MS = 30_000;
const PING_MS = 20_000;
const PONG_MS = 5000;
/** The server closes each connection when its token expires; reconnecting takes the client about a second. */
const GRACE_MS = 3000;
/** The server's close code for an ended session. */
const UNAUTHENTICATED = 4401;

/** The subscriptions of one client, and so of one session. */
export interface Live {
  /** Forwards subscriptions of urql to the socket. */
  forward: SubscriptionForwarder;
  /**
   * Calls the watcher with the connection state immediately, whenever a connection was opened, and when a lost one was
   * not back within a few seconds.
   */
  watchConnection: (watcher: (isOpen: boolean) => void) => () => void;
  /**
   * Calls the listener when a connection was opened late or again, since events may have been missed. `isRenewed` is
   * true if the subscriptions of the old connection ended and must be set up again.
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

/** Shortens a wait at random, so that browsers that lost their connection together do not reconnect together. */
const spread = (wait: number) => wait * (0.5 + Math.random() / 2);

function waitBefore(tries: number): Promise<void> {
  const wait = spread(Math.min(LONGEST_WAIT_MS, 1000 * 2 ** tries));
  return new Promise((resolve) => setTimeout(resolve, wait));
}

interface ConnectionHandlers {
  /** `isRetry` is true if the connection could not be opened at once. */
  onOpen: (isRetry: boolean) => void;
  /** Whether any connection has been open. */
  wasOpen: () => boolean;
  onClose: () => void;
  /** Called when the server has ended the session. `signInCount` is the count at which the connection was opened. */
  onRefused: (signInCount: number) => void;
}

async function connect({ getToken, getSignInCount, url }: LiveOptions, handlers: ConnectionHandlers): Promise<Client> {
  const { createClient } = await import('graphql-ws');
  let signInCount = getSignInCount();
  let tries = 0;
  let pong: ReturnType<typeof setTimeout> | undefined;
  const client = createClient({
    url: () => socketAddress(url),
    // Get a token for each connection, because the last one may have expired.
    connectionParams: async () => {
      signInCount = getSignInCount();
      const token = await getToken().catch(() => undefined);
      if (token === undefined) {
        // The session may still live, so retry as after a lost connection. This is not a server that never answers.
        tries = 0;
        client.terminate();
      }
      // Without a token, the server closes the connection as it does when a session ends.
      return token ? { authorization: `Bearer ${token}` } : {};
    },
    // Navigating between pages must not reconnect.
    lazyCloseTimeout: 3000,
    keepAlive: PING_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: waitBefore,
    // Give up if the server never answered: it, or a proxy in front of it, may not support the protocol.
    shouldRetry: () => handlers.wasOpen() || ++tries < FIRST_TRIES,
    on: {
      connected: (_socket, _payload, isRetry) => handlers.onOpen(isRetry),
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
  /** The state that was last reported to watchers. */
  let isReportedOpen = false;
  /** Runs from the loss of a connection until the loss is reported. */
  let grace: ReturnType<typeof setTimeout> | undefined;
  let wasOpen = false;
  /** Whether subscriptions ended before there was any connection. They do not start again by themselves. */
  let hasGivenUp = false;
  let isEnded = false;
  let renewedAt = 0;
  /** Runs while there is no connection, because of an error that the library does not retry. */
  let pause: ReturnType<typeof setTimeout> | undefined;
  let client: Promise<Client> | undefined;

  function report() {
    clearTimeout(grace);
    grace = undefined;
    // A new connection is reported even if the loss of the last one was not: it starts with new subscriptions.
    if (!isConnected && !isReportedOpen) return;
    isReportedOpen = isConnected;
    for (const watcher of watchers) watcher(isConnected);
  }

  function begin(): Promise<Client> {
    // A socket that was given up may still emit events; ignore them.
    const ifCurrent =
      <Args extends unknown[]>(handler: (...args: Args) => void) =>
      (...args: Args) => {
        if (client === own) handler(...args);
      };
    const begunAt = Date.now();
    const own = connect(options, {
      onOpen: ifCurrent((isRetry: boolean) => {
        endPause();
        // The screen was read before the connection was open. After a quick one, hardly anything can have been missed.
        const isLate = wasOpen || isRetry || hasGivenUp || Date.now() - begunAt > LATE_MS;
        if (isLate) for (const listener of reconnected) listener(false);
        wasOpen = true;
        hasGivenUp = false;
        isConnected = true;
        report();
      }),
      wasOpen: () => wasOpen,
      onClose: ifCurrent(() => {
        isConnected = false;
        grace ??= setTimeout(report, GRACE_MS);
      }),
      onRefused: ifCurrent((signInCount: number) => void refused(signInCount)),
    });
    return own;
  }

  async function refused(signInCount: number) {
    // A connection can stay open for seconds after its session has ended, and the user may have signed in again by
    // then, here or in another tab.
    const isAlive = signInCount !== options.getSignInCount() || (await options.checkSession());
    isEnded = isAlive === false;
    // If the server refuses the new connection, too, wait for the pause to end.
    if (!isAlive || Date.now() - renewedAt < LONGEST_WAIT_MS) return;
    renewedAt = Date.now();
    renew();
  }

  function endPause() {
    clearTimeout(pause);
    pause = undefined;
  }

  function close() {
    const own = client;
    client = undefined;
    isEnded = false;
    endPause();
    isConnected = false;
    report();
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
        if (!Array.isArray(error) && client === own) {
          client = undefined;
          hasGivenUp = true;
          // A server that never answered may not support the protocol.
          if (wasOpen) pause ??= setTimeout(() => !isEnded && renew(), spread(LONGEST_WAIT_MS));
        }
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
