// What the product writes is searched for the secrets that the tests send, when it stops. This is whether the search finds any.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leak, noteIn, noteRequest } from '../secrets.mjs';

const word = (/** @type {string} */ name) => `${name}-${process.pid}-over-the-bridge`;

test('a secret that was sent is found in a line, and so is a signed token', () => {
  noteIn({ input: [{ username: 'maria-of-the-office', newPassword: word('body') }] });
  noteRequest({
    url: `http://waybill.example/reset?resetToken=${word('address')}&page=the-second-page`,
    body: JSON.stringify({ method: 'login', password: word('request') }),
    cookie: `theme=dark; session=${word('cookie')}`,
  });
  assert.equal(leak('signed in maria-of-the-office\nGET /reset?page=the-second-page'), undefined);
  for (const name of ['body', 'address', 'request', 'cookie']) {
    assert.equal(leak(`one line\nname=${word(name)} refused\n`), `name=${word(name)} refused`);
  }
  const signed = ['{"alg":"EdDSA"}', '{"sub":"1","roles":[]}', 'any signature at all'].map((part) => Buffer.from(part).toString('base64url'));
  assert.equal(leak(`called with ${signed.join('.')}`), `called with ${signed.join('.')}`);
});
