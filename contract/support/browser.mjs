// What a browser adds to fetch and Node does not: cookies that stay, and an address to be relative
// to. Keeps every exchange, so that a test can look at what the client really sent.

export class Browser {
  cookies = new Map();
  exchanges = [];
  /** Headers that a page cannot choose, e.g. `origin`. */
  always = {};

  constructor(base) {
    this.base = base;
  }

  /** The same cookies in a second browser: what a thief has. */
  copy() {
    const thief = new Browser(this.base);
    thief.cookies = new Map(this.cookies);
    return thief;
  }

  /** To be put in the place of the global fetch. */
  fetch = async (address, init = {}) => {
    const url = new URL(address, this.base);
    const headers = new Headers({ ...Object.fromEntries(new Headers(init.headers)), ...this.always });
    if (this.cookies.size > 0 && !headers.has('cookie')) {
      headers.set('cookie', [...this.cookies].map((pair) => pair.join('=')).join('; '));
    }
    const request = new Request(url, { ...init, headers, redirect: 'manual' });
    // Read from the request and not from what was asked: fetch itself adds a content type.
    const sent = {
      url: url.href,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      credentials: init.credentials,
      body: init.body ?? null,
    };
    const response = await realFetch(request);
    const set = response.headers.getSetCookie();
    set.forEach((line) => this.#keep(line));
    const text = await response.clone().text();
    this.exchanges.push({ sent, status: response.status, headers: response.headers, set, text });
    return response;
  };

  get last() {
    return this.exchanges.at(-1);
  }

  post(path, body, headers = {}) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.fetch(path, { method: 'POST', body: text, headers: { 'content-type': 'application/json', ...headers } });
  }

  #keep(line) {
    const cookie = readCookie(line);
    if (cookie.dead) this.cookies.delete(cookie.name);
    else this.cookies.set(cookie.name, cookie.value);
  }
}

const realFetch = globalThis.fetch;

/** A Set-Cookie line in its parts. Names of attributes are lower case. */
export function readCookie(line) {
  const [pair, ...rest] = line.split(';').map((part) => part.trim());
  const [name, value] = cut(pair);
  const attributes = Object.fromEntries(
    rest.map((part) => {
      const [key, text] = cut(part);
      return [key.toLowerCase(), text];
    }),
  );
  const over = 'expires' in attributes && Date.parse(attributes.expires) <= Date.now();
  const dead = value === '' || over || Number(attributes['max-age'] ?? 1) <= 0;
  return { name, value, attributes, dead };
}

function cut(text) {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
