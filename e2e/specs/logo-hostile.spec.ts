// Uploads two hundred harmful files as the customer's logo, and opens each of them, in a page and by itself.
import { readFile } from 'node:fs/promises';
import type { APIRequestContext, Page } from '@playwright/test';
import { ask, authorized } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';

interface HostileFile {
  name: string;
  filename: string;
  base64: string;
}

const CORPUS = new URL('../../services/settings/fixtures/hostile-logos.json', import.meta.url);
const PRESIGN = 'mutation M($url: String!) { mutatePresignedUrl(url: $url) { presignedUrl } }';

test.use({ as: 'admin' });

/** Returns the address at which the file is shown, or undefined if it was refused. */
async function publish(request: APIRequestContext, file: HostileFile, headers: Record<string, string>) {
  const link = await request.post('/request-logo-upload-link', { data: { filename: file.filename }, headers });
  if (!link.ok()) {
    expect([400, 404], `${file.name}: ${await link.text()}`).toContain(link.status());
    return;
  }
  const { url } = await link.json();
  const put = await request.put(url, { data: Buffer.from(file.base64, 'base64') });
  expect(put.status(), file.name).toBe(200);
  const data = { query: PRESIGN, variables: { url: url.split('?')[0] } };
  const answer = await (await request.post('/graphql', { data, headers })).json();
  if (answer.errors) {
    expect(answer.errors[0].extensions.code, file.name).toBe('BAD_USER_INPUT');
    return;
  }
  return new URL(answer.data.mutatePresignedUrl.presignedUrl, 'http://x').pathname;
}

/** Records everything that a page does but should not do. */
function watch(page: Page, own: () => string) {
  const wrong: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (url !== own() && !url.startsWith('data:image/png;base64,')) wrong.push(`asked for ${url}`);
  });
  page.on('dialog', async (dialog) => {
    wrong.push(`a dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('popup', (popup) => wrong.push(`a window: ${popup.url()}`));
  page.on('download', (download) => wrong.push(`a download: ${download.url()}`));
  page.on('pageerror', (error) => wrong.push(`a script: ${error.message}`));
  page.on('frameattached', () => wrong.push('a frame'));
  page.on('worker', () => wrong.push('a worker'));
  return wrong;
}

test('no hostile logo runs, asks for anything or leads away', async ({ page, context, baseURL }) => {
  test.setTimeout(600_000);
  const files: HostileFile[] = JSON.parse(await readFile(CORPUS, 'utf8'));
  expect(files.length).toBeGreaterThanOrEqual(200);
  await ask(context.request, '{ __typename }');

  const shown = new Map<string, string>();
  const refused: string[] = [];
  await test.step('each is refused or becomes something else', async () => {
    let headers = {};
    for (const [index, file] of files.entries()) {
      // A token is valid for a few minutes only, so get a new one for every fifty files.
      if (index % 50 === 0) headers = await authorized(context.request);
      const path = await publish(context.request, file, headers);
      if (!path) {
        refused.push(file.name);
        continue;
      }
      expect(path).toMatch(/^\/logo\/[0-9a-f]{64}\.(png|svg)$/);
      const answer = await context.request.get(path);
      expect(answer.status()).toBe(200);
      const bytes = await answer.body();
      expect(bytes.equals(Buffer.from(file.base64, 'base64')), `${file.name} is stored as it is`).toBe(false);
      expect(answer.headers()['content-type']).toBe(path.endsWith('.svg') ? 'image/svg+xml' : 'image/png');
      shown.set(path, file.name);
    }
    expect(refused.length).toBeGreaterThan(100);
    expect(shown.size).toBeGreaterThan(5);
  });

  let own = '';
  const wrong = watch(page, () => own);
  for (const [path, name] of shown) {
    await test.step(`${name}, opened by itself`, async () => {
      own = `${baseURL}${path}`;
      await page.goto(path);
      // If the file opened as a page, a click might run a script. Otherwise the click does nothing.
      await page.mouse.click(20, 20);
      expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
      expect(page.url()).toBe(own);
      expect(wrong, name).toEqual([]);
    });
  }

  await test.step('in a page, as the drawer shows it', async () => {
    const gallery = await context.newPage();
    const asked = new Set<string>();
    // This page has the same origin but no content security policy, so only the pictures themselves can prevent
    // harm.
    const body = '<!doctype html><title>Gallery</title>';
    await gallery.route('**/gallery', (route) => route.fulfill({ contentType: 'text/html', body }));
    await gallery.goto('/gallery');
    const never = watch(gallery, () => '');
    gallery.on('request', (request) => asked.add(new URL(request.url()).pathname));
    const sizes = await gallery.evaluate(async (paths) => {
      const load = async (path: string) => {
        const image = new Image();
        image.width = 130;
        image.src = path;
        document.body.append(image);
        await image.decode();
        return image.naturalWidth * image.naturalHeight;
      };
      return Promise.all(paths.map(load));
    }, [...shown.keys()]);
    expect(sizes.every((size) => size > 0)).toBe(true);
    const others = [...asked].filter((path) => !shown.has(path) && path !== '/favicon.ico');
    expect(others).toEqual([]);
    expect(never.filter((line) => !line.includes('/logo/'))).toEqual([]);
    expect(await gallery.evaluate(() => 'pwned' in window)).toBe(false);
    await gallery.close();
  });
});
