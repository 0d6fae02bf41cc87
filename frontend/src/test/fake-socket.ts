import { vi } from 'vitest';
// Loaded up front, since a connection that takes long counts as late.
import 'graphql-ws';
import { executeFake } from './schema';

interface Message {
  id?: string;
  type: string;
  payload?: unknown;
}

interface Subscribed {
  query: string;
  variables?: Record<string, unknown>;
}

/** Fake WebSocket with the subscription part of graphql-transport-ws. */
export class FakeSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  static all: FakeSocket[] = [];
  /** Whether new sockets can connect. */
  static reachable = true;
  /** Whether new sockets are acknowledged at once, without `acknowledge`. */
  static isQuick = true;

  readyState = FakeSocket.CONNECTING;
  onopen?: () => void;
  onmessage?: (event: { data: string }) => void;
  onclose?: (event: { code: number; reason: string }) => void;
  onerror?: (event: unknown) => void;
  readonly sent: Message[] = [];

  readonly url: string;
  readonly protocol: string;

  constructor(url: string, protocol: string) {
    this.url = url;
    this.protocol = protocol;
    FakeSocket.all.push(this);
    queueMicrotask(() => {
      if (!FakeSocket.reachable) {
        this.close(1006);
        return;
      }
      this.readyState = FakeSocket.OPEN;
      this.onopen?.();
    });
  }

  /** Replaces the browser's WebSocket for one test. */
  static install() {
    FakeSocket.all = [];
    FakeSocket.reachable = true;
    FakeSocket.isQuick = true;
    vi.stubGlobal('WebSocket', FakeSocket);
  }

  static last(): FakeSocket {
    const socket = FakeSocket.all.at(-1);
    if (!socket) throw new Error('No socket was opened');
    return socket;
  }

  send(text: string) {
    const message = JSON.parse(text) as Message;
    this.sent.push(message);
    if (message.type === 'connection_init' && FakeSocket.isQuick) this.acknowledge();
    if (message.type === 'ping') queueMicrotask(() => this.receive({ type: 'pong' }));
  }

  acknowledge() {
    this.receive({ type: 'connection_ack' });
  }

  close(code = 1005, reason = '') {
    if (this.readyState === FakeSocket.CLOSED) return;
    this.readyState = FakeSocket.CLOSED;
    this.onclose?.({ code, reason });
  }

  /** The open subscriptions, optionally of one field. */
  open(field = ''): Message[] {
    const over = this.sent.filter(({ type }) => type === 'complete').map(({ id }) => id);
    return this.sent.filter(
      ({ id, type, payload }) =>
        type === 'subscribe' &&
        !over.includes(id) &&
        (payload as Subscribed).query.includes(field),
    );
  }

  /** Sends data to the subscribers of its field. */
  push(data: object) {
    const [field = ''] = Object.keys(data);
    for (const { id = '', payload } of this.open(field)) {
      const { query, variables = {} } = payload as Subscribed;
      this.receive({ id, type: 'next', payload: { data: executeFake(query, variables, data) } });
    }
  }

  /** Ends the oldest open subscription, as a server does that has nothing more to send. */
  complete() {
    const [oldest] = this.open();
    if (oldest?.id) this.receive({ id: oldest.id, type: 'complete' });
  }

  private receive(message: Message) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}
