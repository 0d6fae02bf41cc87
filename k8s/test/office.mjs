// A person who works with Waybill through its public port, with the requests of the browser application.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

export class Office {
  constructor(address, headers = {}) {
    this.address = address;
    this.headers = headers;
  }

  async signIn(username, password) {
    const body = JSON.stringify({ method: 'login', username, password });
    const answer = await fetch(`${this.address}/auth`, { method: 'POST', headers: { ...this.headers, 'content-type': 'application/json' }, body });
    assert.equal(answer.status, 200, await answer.text());
    const cookie = answer.headers.getSetCookie().map((it) => it.split(';')[0]).join('; ');
    const token = await (await fetch(`${this.address}/auth?method=getToken`, { headers: { ...this.headers, cookie } })).text();
    assert.ok(token, 'nobody is signed in');
    this.bearer = { authorization: `Bearer ${token}`, 'auth-provider': 'dbAuth' };
  }

  /** Returns the response of an address, which must be a success. */
  async ask(path, { method = 'GET', body } = {}) {
    const headers = { ...this.headers, ...this.bearer, ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(this.address + path, { method, headers, body: body && JSON.stringify(body) });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${answer.ok || await answer.text()}`);
    return answer;
  }

  /** Returns the data of a query or mutation. */
  async graph(query, variables) {
    const { data, errors } = await (await this.ask('/graphql', { method: 'POST', body: { query, variables } })).json();
    assert.equal(errors, undefined, `${query}: ${JSON.stringify(errors)}`);
    return data;
  }

  /** Creates a delivery. Fields that are not given have any valid value. */
  createDelivery(delivery) {
    const input = { customername: 'Somebody', shipmentnumber: 'S-1', scheduledatetime: '2026-07-01T00:00:00Z', ...delivery };
    return this.graph('mutation($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }', { input });
  }

  /** Returns the form of a delivery as PDF. An outcome issues the form: nobody was there. */
  async formOfUndelivered(deliveryId) {
    const input = { deliveryId, clientEventId: randomUUID(), status: 'Undelivered', outcomeReason: 'recipient_absent', outcomeNote: 'Gate was closed' };
    await this.graph('mutation($input: RecordOutcomeInput!) { recordOutcome(input: $input) { version } }', { input });
    return Buffer.from(await (await this.ask(`/delivery-forms/${deliveryId}.pdf`)).arrayBuffer());
  }
}
