// Imports a few deliveries with the requests of the product's own screen.
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Browser } from './browser.mjs';
import { url } from './clients.mjs';

const FILE = new URL('../../services/upload/fixtures/small-utf8-comma.csv', import.meta.url);
const STATUS = 'query($id: String!) { uploadLog(id: $id) { status rowsTotal } }';

/** Imports a small file. Importing it again changes nothing. Returns the id of the upload log. */
export async function importSmallFile(token) {
  const browser = new Browser(url);
  const authorization = `Bearer ${token}`;
  const call = async (path, body) => (await browser.post(path, body, { authorization })).json();

  const filename = 'small.csv';
  const link = await call('/request-upload-link', { filename });
  const put = await browser.fetch(link.url, { method: 'PUT', body: await readFile(FILE) });
  if (put.status !== 200) throw new Error(`the file was not taken: ${put.status} ${browser.last.text}`);
  const query = new URLSearchParams({ url: link.url.split('?')[0], filename, sourceId: '' });
  const { uploadLog } = await call(`/upload-deliveries?${query}`, {});
  const deadline = Date.now() + 30_000;
  for (;;) {
    const { data } = await call('/graphql', { query: STATUS, variables: { id: uploadLog } });
    // Accept an import with refused rows, because the tests only need some deliveries.
    if (data.uploadLog.status.startsWith('imported')) return uploadLog;
    if (!['uploaded', 'parsing', 'importing'].includes(data.uploadLog.status) || Date.now() > deadline) {
      throw new Error(`the import ended as ${data.uploadLog.status}`);
    }
    await delay(50);
  }
}
