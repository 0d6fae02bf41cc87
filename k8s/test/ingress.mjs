// Sends requests as an ingress does: to the ready gateways in turn, at a fixed rate, unless too many
// responses are missing.
import assert from 'node:assert/strict';

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

export class Ingress {
  sent = 0;
  failures = [];
  /** The names of sources that were answered as created. */
  created = [];
  #took = [];
  #waiting = new Set();

  constructor(cluster) {
    this.gateways = cluster.endpoints.get('gateway');
  }

  address() {
    return `http://127.0.0.1:${this.gateways[this.sent % this.gateways.length]}`;
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
    const renewing = setInterval(() => this.#renew().catch((error) => this.failures.push(`the token: ${error}`)), TOKEN_MS);
    return async () => {
      clearInterval(asking);
      clearInterval(renewing);
      this.seconds = (Date.now() - began) / 1000;
      await Promise.all(this.#waiting);
    };
  }

  /** Returns how many requests were sent, how fast, and how long they took. */
  report() {
    const sorted = this.#took.toSorted((a, b) => a - b);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    return `${this.sent} requests, ${Math.round(this.sent / this.seconds)} a second, ${this.failures.length} failed, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${sorted.at(-1)} ms`;
  }
}
