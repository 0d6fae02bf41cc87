// The operations of settings and of the logo, as the browser application writes them.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { Browser } from '../support/browser.mjs';
import { ensureAdmin, failure, formError, graphql, inMarkup, signedIn, url } from '../support/clients.mjs';

const FIND = `query FindSystemSettingById($id: String!) {
  systemSetting: findSystemSettingById(id: $id) { id name value type updatedAt updatedBy }
}`;
const UPDATE = `mutation UpdateSettingValue($input: UpdateSettingValueInput!) {
  updateSettingValue(input: $input) { id name value updatedAt updatedBy }
}`;
const LOGO = `query GetLogoInformation($id: String!) {
  getLogoInformation(id: $id) { id value }
}`;
const PRESIGN = `mutation MutatePresignedUrl($url: String!) {
  mutatePresignedUrl(url: $url) { presignedUrl }
}`;

let token;

before(async () => {
  await ensureAdmin();
  ({ token } = await signedIn());
});

const client = () => graphql(new Browser(url), token);

test('a setting is found by its id, and null when there is none', async () => {
  const { systemSetting } = await client().query(FIND, { id: 'delivery-max-attempts' });
  assert.equal(systemSetting.__typename, 'SystemSetting');
  assert.deepEqual([systemSetting.id, systemSetting.type], ['delivery-max-attempts', 'number']);
  for (const text of [systemSetting.name, systemSetting.value]) assert.equal(typeof text, 'string');
  assert.equal((await client().query(FIND, { id: 'nothing' })).systemSetting, null);
});

test('a value is saved with nothing but id and value', async () => {
  const input = { id: 'delivery-max-attempts', value: '5' };
  const { updateSettingValue: saved } = await client().mutate(UPDATE, { input });
  assert.deepEqual([saved.id, saved.value], ['delivery-max-attempts', '5']);
  assert.equal(saved.updatedBy, 'contract-admin');
  assert.ok(Date.parse(saved.updatedAt) > 0);
  const { systemSetting } = await client().query(FIND, { id: input.id });
  assert.deepEqual([systemSetting.value, systemSetting.updatedAt], ['5', saved.updatedAt]);
});

test('a value that does not fit is an error that FormError can show', async () => {
  for (const value of ['', '0', 'many']) {
    const error = await failure(client().mutate(UPDATE, { input: { id: 'delivery-max-attempts', value } }));
    const { code, properties } = error.graphQLErrors[0].extensions;
    assert.equal(code, 'BAD_USER_INPUT');
    const texts = properties.messages.value;
    assert.ok(Array.isArray(texts) && texts.length > 0, JSON.stringify(properties));
    for (const text of texts) assert.ok(formError(error).includes(inMarkup(text)), text);
  }
});

test('the four steps of a logo: a link, the file, a lasting address, the setting', async () => {
  const browser = new Browser(url);
  const authorization = `Bearer ${token}`;
  const asked = await browser.post('/request-logo-upload-link', { filename: 'logo.png' }, { authorization });
  const link = await asked.json();
  assert.equal(link.ok, true);
  const put = await browser.fetch(link.url, { method: 'PUT', body: picture() });
  assert.equal(put.status, 200);
  const [urlObject] = link.url.split('?');
  const { mutatePresignedUrl } = await client().mutate(PRESIGN, { url: urlObject });
  const shown = mutatePresignedUrl.presignedUrl;
  const value = JSON.stringify({ url: shown, size: 130, gap: 8, vertical: 0, urlObject });
  const id = 'customer-logo-information';
  await client().mutate(UPDATE, { input: { id, value } });
  const { getLogoInformation } = await client().query(LOGO, { id });
  assert.equal(getLogoInformation.id, id);
  assert.deepEqual(JSON.parse(getLogoInformation.value), JSON.parse(value));
  // A page requests the picture without a token.
  const image = await fetch(new URL(shown, url));
  assert.equal(image.status, 200);
  assert.equal(image.headers.get('content-type'), 'image/png');
});

test('any other id is no logo, and any other address is none of ours', async () => {
  for (const id of ['delivery-max-attempts', 'nothing']) {
    assert.equal((await client().query(LOGO, { id })).getLogoInformation, null);
  }
  for (const address of ['https://evil.example/logos/incoming/a.png', `${url}/objects/imports/a.csv`, '']) {
    const error = await failure(client().mutate(PRESIGN, { url: address }));
    assert.ok(['NOT_FOUND', 'BAD_USER_INPUT'].includes(error.graphQLErrors[0].extensions.code), address);
  }
});

/** Returns a PNG picture of four by four green pixels. */
function picture() {
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const side = 4;
  const header = Buffer.from([0, 0, 0, side, 0, 0, 0, side, 8, 2, 0, 0, 0]);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(side * 3, Buffer.from([0, 128, 0]))]);
  const points = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', points), chunk('IEND', Buffer.alloc(0))]);
}
