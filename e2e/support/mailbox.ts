// A mail server that keeps what it receives.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Mail {
  to: string;
  /** The whole mail, with its headers and its encoded parts. */
  text: string;
}

export class Mailbox {
  readonly mails: Mail[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => this.#talk(socket));
  }

  static async open(): Promise<Mailbox> {
    const mailbox = new Mailbox();
    mailbox.#server.listen(0, '127.0.0.1');
    await once(mailbox.#server, 'listening');
    return mailbox;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close() {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Speaks the server side of RFC 5321, as far as these tests need it. */
  #talk(socket: Socket) {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let pending = '';
    let to = '';
    let body: string[] | undefined;
    const answer = (line: string) => socket.write(`${line}\r\n`);
    answer('220 here');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (pending + chunk).split('\r\n');
      pending = lines.pop() ?? '';
      for (const line of lines) {
        if (body && line === '.') {
          this.mails.push({ to, text: body.join('\n') });
          body = undefined;
          answer('250 kept');
        } else if (body) {
          body.push(line.replace(/^\./, ''));
        } else if (/^RCPT/i.test(line)) {
          to = /<(.*)>/.exec(line)?.[1] ?? '';
          answer('250 yes');
        } else if (/^DATA/i.test(line)) {
          body = [];
          answer('354 go on');
        } else if (/^QUIT/i.test(line)) {
          answer('221 bye');
          socket.end();
        } else {
          answer('250 yes');
        }
      }
    });
  }
}

/** Returns the attached file of a mail as text. */
export function attachedText({ text }: Mail): string {
  const part = text.split('Content-Disposition: attachment')[1] ?? '';
  const encoded = part.split('\n\n')[1]?.split('\n--')[0] ?? '';
  return Buffer.from(encoded, 'base64').toString('utf8');
}
