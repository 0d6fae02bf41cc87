// Another system that gets messages over HTTP.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers each message by `answer`: undefined takes it, a text refuses it with this message. */
export class Receiver {
  /** The messages that were taken, by their IDs. */
  readonly taken = new Map<string, string>();
  /** The IDs of all messages, including those that were refused. */
  readonly seen = new Set<string>();
  answer: (body: string) => string | undefined;
  readonly #server: Server;

  private constructor(answer: Receiver['answer']) {
    this.answer = answer;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const id = String(request.headers['webhook-id']);
        const body = Buffer.concat(chunks).toString();
        const message = this.answer(body);
        this.seen.add(id);
        if (message === undefined) {
          this.taken.set(id, body);
          response.writeHead(204).end();
        } else {
          response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
        }
      });
    });
  }

  static async open(answer: Receiver['answer']): Promise<Receiver> {
    const receiver = new Receiver(answer);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
