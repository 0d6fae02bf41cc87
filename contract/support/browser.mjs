// What a browser has and fetch in Node does not: persistent cookies, and an address that others are relative
// to. Records every request and response, so that a test can see what the client really sent.

import { note, noteIn, noteRequest } from '../secrets.mjs';

export class Browser {
  cookies = new Map();
  exchanges = [];
  /** Headers that a page cannot set, for example `origin`. */
  always = {};

  constructor(base) {
    this.base = base;
  }

  /** Returns a second browser with the same cookies, as a thief would have them. */
  copy() {
    const thief = new Browser(this.base);
    thief.cookies = new Map(this.cookies);
    return thief;
  }

  /** Replaces the global fetch. */
  fetch = async (address, init = {}) => {
    const url = new URL(address, this.base);
    const headers = new Headers({ ...Object.fromEntries(new Headers(init.headers)), ...this.always });
    if (this.cookies.size > 0 && !headers.has('cookie')) {
      headers.set('cookie', [...this.cookies].map((pair) => pair.join('=')).join('; '));
    }
    const request = new Request(url, { ...init, headers, redirect: 'manual' });
    // Read the headers from the request instead of the arguments, because fetch itself adds a content type.
    const sent = {
      url: url.href,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      credentials: init.credentials,
      body: init.body ?? null,
    };
    noteRequest({ url: url.href, body: init.body, cookie: headers.get('cookie') });
    const response = await realFetch(request);
    const set = response.headers.getSetCookie();
    set.forEach((line) => this.#keep(line));
    const text = await response.clone().text();
    if (response.ok && response.headers.get('content-type')?.includes('json')) noteIn(JSON.parse(text));
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
    note(cookie.value);
  }
}

const realFetch = globalThis.fetch;

/** Splits a Set-Cookie line into its parts. The names of attributes are in lower case. */
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
