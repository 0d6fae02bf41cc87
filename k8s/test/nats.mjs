// The part of NATS' protocol that the tests need: publishing, and sending requests.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const line = (subject, reply, text) => `PUB ${subject} ${reply}${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** Returns a connection to a NATS server without accounts. It is closed at the end of the test. */
export async function connected(t, url) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  const waiting = new Map();
  let text = '';
  const passed = [];
  socket.on('data', (piece) => {
    text += piece;
    if (text.startsWith('PING') || text.includes('\r\nPING\r\n')) socket.write('PONG\r\n');
    for (let end = text.indexOf('PONG\r\n'); end >= 0; end = text.indexOf('PONG\r\n')) {
      text = text.slice(0, end) + text.slice(end + 6);
      passed.shift()?.();
    }
    // A response is complete in what was read so far, because JetStream's responses are short.
    for (const [reply, answer] of waiting) {
      const found = text.match(new RegExp(`MSG ${reply.replaceAll('.', '\\.')} \\d+ (\\d+)\\r\\n`));
      if (!found || text.length < found.index + found[0].length + Number(found[1])) continue;
      waiting.delete(reply);
      answer(text.slice(found.index + found[0].length).slice(0, Number(found[1])));
    }
  });
  await new Promise((resolve, reject) => { socket.on('connect', resolve); socket.on('error', reject); });
  socket.write('CONNECT {"verbose":false}\r\nSUB _INBOX.tests.* 1\r\n');
  const flushed = () => new Promise((resolve) => { passed.push(resolve); socket.write('PING\r\n'); });
  return {
    /** Sends messages. Resolves once the server has read them. */
    async publish(messages) {
      socket.write(messages.map(([subject, body]) => line(subject, '', body)).join(''));
      await flushed();
    },
    /** Returns the JSON response to a request on a subject of JetStream. */
    async ask(subject) {
      const reply = `_INBOX.tests.${randomBytes(8).toString('hex')}`;
      const answered = new Promise((resolve) => { waiting.set(reply, resolve); });
      socket.write(line(subject, `${reply} `, ''));
      return JSON.parse(await Promise.race([answered, sleep(5000, '{"error":{"description":"no answer"}}', { ref: false })]));
    },
  };
}
