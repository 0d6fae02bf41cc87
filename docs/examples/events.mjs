// Publishes dead letters to Waybill and reads its events, with the published client of NATS:
//
//   npm install @nats-io/transport-node @nats-io/jetstream protobufjs
import { join } from 'node:path';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers } from '@nats-io/transport-node';
import protobuf from 'protobufjs';

/** Connects as a producer: its account reads answers from an inbox of its own. */
export function connectProducer(servers, name, auth = {}) {
  return connect({ servers, inboxPrefix: `_INBOX_${name}`, ...auth });
}

/** Connects as a reader. Its consumers are called `reader-<name>` too. */
export function connectReader(servers, name, auth = {}) {
  return connect({ servers, inboxPrefix: `_INBOX.reader-${name}`, ...auth });
}

/**
 * Publishes a dead letter; resolves once the broker has it. The same key again stays one dead letter.
 *
 * Without `msgID`: the broker compares these ids across producers and drops repetitions.
 */
export async function publishLetter(connection, subject, key, letter) {
  const head = headers();
  head.set('Idempotency-Key', key);
  await jetstream(connection).publish(subject, JSON.stringify(letter), { headers: head });
}

/**
 * Reads events of one subject for ever, from the first that the stream has. What `handle` throws at comes again.
 *
 * @param {string} proto The folder `proto` of Waybill's sources.
 * @param {string} name The name of the consumer; with an account of `deploy/secrets.sh`, `reader-<name>`.
 */
export async function readEvents(connection, { proto, stream, subject, name, handle }) {
  const root = new protobuf.Root();
  root.resolvePath = (_, target) => join(proto, target);
  await root.load('waybill/events/v1/events.proto');
  const Envelope = root.lookupType('waybill.events.v1.Envelope');
  const manager = await jetstreamManager(connection);
  await manager.consumers.add(stream, {
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    filter_subject: subject,
  });
  const consumer = await jetstream(connection).consumers.get(stream, name);
  const messages = await consumer.consume();
  const done = (async () => {
    for await (const message of messages) {
      try {
        await handle(Envelope.toObject(Envelope.decode(message.data), { longs: Number }));
        message.ack();
      } catch {
        message.nak(1000);
      }
    }
  })();
  return { stop: () => messages.close(), done };
}
