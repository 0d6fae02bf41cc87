// Sends requests as an ingress does: to the ready gateways in turn, at a fixed rate, unless too many
// responses are missing. Meanwhile people open the application.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { read } from '../../scripts/sources.mjs';

/** Queries, each of which needs another service. */
export const QUESTIONS = [
  '{ deliveries(page: {limit: 5}) { id } }',
  '{ drivers(page: {limit: 5}) { driverId } }',
  '{ systemSettings(page: {limit: 5}) { id } }',
  '{ uploadLogs(page: {limit: 5}) { id } }',
];
/** One request in this many changes something. */
const CHANGES = 20;
/**
 * The maximum number of open requests, because the gateway refuses more from one account. A machine that is
 * too slow gets fewer requests.
 */
const MOST = 40;
/** When to renew a token, which lives for five minutes. */
const TOKEN_MS = 120_000;
const TIMEOUT_MS = 25_000;
/** The time between two people who open the application. */
const VISIT_MS = 1000;
/** The delays after which the browser application reloads a page whose files are missing. */
const RELOADS_MS = startupDelays();
/** A file that the page loads. The browser also keeps the font, but the application starts without it. */
const FILE = /(?:src|href)="(\/(?:assets\/[^"]+\.(?:js|css)|[\w-]+\.js))"/g;

function startupDelays() {
  const [, delays] = read('frontend/public/startup.js').match(/DELAYS_S = (\[[\d, ]+\])/);
  return JSON.parse(delays).map((seconds) => seconds * 1000);
}

export class Ingress {
  sent = 0;
  failures = [];
  visits = 0;
  /** How many pages had to be loaded again because a file was missing: page and file came from different builds. */
  reloads = 0;
  /** The names of sources that were answered as created. */
  created = [];
  #took = [];
  #waiting = new Set();
  #visiting = new Set();
  #fetched = 0;

  constructor(cluster, reloads = RELOADS_MS) {
    this.delays = reloads;
    this.gateways = cluster.endpoints.get('gateway');
  }

  address() {
    return `http://127.0.0.1:${this.gateways[this.sent % this.gateways.length]}`;
  }

  /** Fetches a file as a browser does. Returns undefined if it is missing. */
  async #file(path) {
    const gateway = this.gateways[this.#fetched++ % this.gateways.length];
    const answer = await fetch(`http://127.0.0.1:${gateway}${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await answer.text();
    if (answer.status === 404) return undefined;
    assert.equal(answer.status, 200, path);
    return text;
  }

  /**
   * Opens the application as a browser does, with its files. During a roll-out, files of another build may be
   * missing, and then the page is reloaded. Files that are missing even after the last reload are a failure.
   */
  async visit() {
    this.visits += 1;
    // A browser keeps the files below /assets/ that it got, so a reload does not request them again.
    const kept = new Set();
    try {
      for (const delay of [...this.delays, undefined]) {
        const page = await this.#file('/');
        assert.ok(page, 'the program has no browser application: run scripts/build-frontend.sh before it is built');
        const paths = [...page.matchAll(FILE)].map(([, path]) => path).filter((path) => !kept.has(path));
        const found = await Promise.all(paths.map((path) => this.#file(path)));
        const missing = paths.filter((_, at) => found[at] === undefined);
        if (missing.length === 0) return;
        if (delay === undefined) throw new Error(`missing after ${this.delays.length} reloads: ${missing}`);
        for (const path of paths) if (path.startsWith('/assets/') && !missing.includes(path)) kept.add(path);
        this.reloads += 1;
        await sleep(delay);
      }
    } catch (error) {
      this.failures.push(`the application: ${error.cause ?? error}`);
    }
  }

  async signIn(username, password) {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ method: 'login', username, password });
    const answer = await fetch(`${this.address()}/auth`, { method: 'POST', headers, body });
    assert.equal(answer.status, 200, await answer.text());
    this.cookie = answer.headers.getSetCookie().map((it) => it.split(';')[0]).join('; ');
    await this.#renew();
  }

  async #renew() {
    const answer = await fetch(`${this.address()}/auth?method=getToken`, { headers: { cookie: this.cookie }, signal: AbortSignal.timeout(TIMEOUT_MS) });
    this.token = await answer.text();
    assert.ok(answer.status === 200 && this.token, `nobody is signed in: ${answer.status}`);
  }

  async ask(query) {
    this.sent += 1;
    const began = Date.now();
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.token}`, 'auth-provider': 'dbAuth' };
    try {
      const answer = await fetch(`${this.address()}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }), signal: AbortSignal.timeout(TIMEOUT_MS) });
      const { data, errors } = await answer.json();
      if (answer.status !== 200 || errors) this.failures.push(`${query}: ${answer.status} ${JSON.stringify(errors)}`);
      else if (data.createSource) this.created.push(data.createSource.name);
    } catch (error) {
      this.failures.push(`${query}: ${error.cause ?? error}`);
    }
    this.#took.push(Date.now() - began);
  }

  #next() {
    const at = this.sent;
    const query = at % CHANGES === 0 ? `mutation { createSource(input: { name: "source ${at}" }) { name } }` : QUESTIONS[at % QUESTIONS.length];
    const asked = this.ask(query).finally(() => this.#waiting.delete(asked));
    this.#waiting.add(asked);
  }

  /** Sends up to `rate` requests a second until stopped. Returns a function that stops it. */
  begin(rate) {
    const began = Date.now();
    let begun = 0;
    const asking = setInterval(() => {
      // After a standstill of the machine, do not send all missed requests at once.
      const due = Math.min(Math.floor(((Date.now() - began) * rate) / 1000) - begun, rate / 4);
      begun = Math.floor(((Date.now() - began) * rate) / 1000);
      for (let at = 0; at < due && this.#waiting.size < MOST; at++) this.#next();
    }, 20);
    const visiting = setInterval(() => {
      const visit = this.visit().finally(() => this.#visiting.delete(visit));
      this.#visiting.add(visit);
    }, VISIT_MS);
    const renewing = setInterval(() => this.#renew().catch((error) => this.failures.push(`the token: ${error}`)), TOKEN_MS);
    return async () => {
      clearInterval(asking);
      clearInterval(visiting);
      clearInterval(renewing);
      this.seconds = (Date.now() - began) / 1000;
      await Promise.all([...this.#waiting, ...this.#visiting]);
    };
  }

  /** Returns how many requests were sent, how fast, and how long they took. */
  report() {
    const sorted = this.#took.toSorted((a, b) => a - b);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    return `${this.sent} requests, ${Math.round(this.sent / this.seconds)} a second, ${this.failures.length} failed, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${sorted.at(-1)} ms; ${this.visits} visits, ${this.reloads} reloads`;
  }
}
