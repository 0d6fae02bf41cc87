import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  checkImportFile,
  checkLogoFile,
  LOGO_EXTENSIONS,
  MAX_LOGO_BYTES,
} from './file-rules';
import { ANSWER_MS, isAborted, putFile, withoutQuery } from './put-file';
import { LIMIT_MS } from './timed-fetch';
import { FakeRequest } from '@/test/fake-request';
import { hangingFetch } from '@/test/hanging-fetch';
import {
  fetchAuthorized,
  previewUndo,
  requestLogoUploadLink,
  requestUploadLink,
  startImport,
  startUndo,
  WebActionError,
} from './web-actions';

const file = new File(['Delivery Doc\n'], 'day 1.csv');
const link = 'https://objects.example/imports/k1.csv?X-Signature=abc&x=1';

describe('putting a file', () => {
  beforeEach(() => {
    FakeRequest.all = [];
    vi.stubGlobal('XMLHttpRequest', FakeRequest);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it('reports progress and answers the address without its signature', async () => {
    const shares: number[] = [];
    const upload = putFile(link, file, { onProgress: (share) => shares.push(share) });
    const request = FakeRequest.last();
    expect([request.method, request.url, request.body]).toEqual(['PUT', link, file]);
    request.progress(5, 20);
    request.progress(20, 20);
    request.answer(200);
    await expect(upload).resolves.toEqual({
      ok: true,
      data: { url: 'https://objects.example/imports/k1.csv', filename: 'day 1.csv' },
    });
    expect(shares).toEqual([0.25, 1]);
  });

  it.each([201, 204, 302, 403, 500, 0])('takes status %i for a failure', async (status) => {
    const upload = putFile(link, file);
    FakeRequest.last().answer(status);
    await expect(upload).rejects.toThrow('Upload failed. Something went wrong');
  });

  it('fails with the same text when the network does', async () => {
    const upload = putFile(link, file);
    FakeRequest.last().emit('error');
    await expect(upload).rejects.toThrow('Upload failed. Something went wrong');
  });

  it('can be canceled, before and while it runs', async () => {
    const running = new AbortController();
    const upload = putFile(link, file, { signal: running.signal });
    running.abort();
    await expect(upload).rejects.toSatisfy(isAborted);
    await expect(putFile(link, file, { signal: running.signal })).rejects.toSatisfy(isAborted);
    expect(FakeRequest.all).toHaveLength(1);
  });

  it('may take any time, but the answer may not', async () => {
    vi.useFakeTimers();
    const upload = putFile(link, file).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10 * ANSWER_MS);
    FakeRequest.last().upload.emit('load');
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(ANSWER_MS);
    expect(await upload).toMatchObject({ message: 'Upload failed. Something went wrong' });
  });

  it('strips queries and fragments only', () => {
    expect(withoutQuery('/objects/a.csv?sig=1#x')).toBe('/objects/a.csv');
    expect(withoutQuery('/objects/a.csv')).toBe('/objects/a.csv');
  });
});

describe('web actions', () => {
  type Send = typeof fetch;
  const reply = (body: unknown, status = 200) =>
    vi.fn<Send>(() => Promise.resolve(new Response(JSON.stringify(body), { status })));
  const context = (send: Send) => ({ getToken: () => Promise.resolve('secret'), fetch: send });
  const request = { url: '/objects/k1.csv', filename: 'a & b.csv', sourceId: 's1' };

  it('ask for a link with the token and the file name', async () => {
    const send = reply({ ok: true, url: link });
    await expect(requestUploadLink('a.csv', context(send))).resolves.toBe(link);
    const [path, init] = send.mock.calls[0] ?? [];
    expect(path).toBe('/request-upload-link');
    expect(init?.body).toBe('{"filename":"a.csv"}');
    const headers = new Headers(init?.headers);
    expect(headers.get('authorization')).toBe('Bearer secret');
    expect(headers.get('auth-provider')).toBe('dbAuth');
  });

  it('ask for a link for the logo by a POST with its file name', async () => {
    const send = reply({ ok: true, url: link });
    await expect(requestLogoUploadLink('logo.svg', context(send))).resolves.toBe(link);
    const [path, init] = send.mock.calls[0] ?? [];
    expect([init?.method, path, init?.body]).toEqual([
      'POST',
      '/request-logo-upload-link',
      '{"filename":"logo.svg"}',
    ]);
  });

  it.each([
    ['a refusal', reply({ ok: false, error: 'No', code: 'FORBIDDEN' }, 403)],
    ['an answer without a link', reply({ ok: true })],
    ['a lost network', vi.fn<Send>(() => Promise.reject(new TypeError('lost')))],
  ])('have one text for %s to a link', async (_, send) => {
    for (const ask of [requestUploadLink, requestLogoUploadLink]) {
      await expect(ask('a.csv', context(send))).rejects.toThrow('upload url request failed');
    }
  });

  it("keep the server's reason for a refused link, and no other", async () => {
    const text = 'You have 20 unfinished uploads. Finish those, or try again in 140 minutes.';
    const reasons = [
      [reply({ ok: false, error: text, code: 'RATE_LIMITED' }, 429), text],
      [reply({ ok: true }), undefined],
      [vi.fn<Send>(() => Promise.reject(new TypeError('lost'))), undefined],
    ] as const;
    for (const [send, detail] of reasons) {
      const failure = await requestUploadLink('a.csv', context(send)).catch((error: unknown) => error);
      expect(failure).toMatchObject({ message: 'upload url request failed', detail });
    }
  });

  it('say in their own words that no token could be fetched, and send nothing', async () => {
    const send = reply({ ok: true });
    const getToken = () => Promise.reject(new TypeError('failed'));
    const failure = await startUndo('u1', 'k-1', { getToken, fetch: send }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WebActionError);
    expect(send).not.toHaveBeenCalled();
  });

  it('are given up when they hang, but a file may take any time once it begins', async () => {
    vi.useFakeTimers();
    const send = hangingFetch();
    const own = { getToken: () => Promise.resolve('secret') };
    const failures = [startUndo('u1', 'k-1', own), fetchAuthorized('/export/deliveries', own)];
    const ends = failures.map((failure) => failure.catch((error: unknown) => error));
    await vi.advanceTimersByTimeAsync(LIMIT_MS);
    for (const end of await Promise.all(ends)) expect(end).toBeInstanceOf(WebActionError);
    send.mockImplementation(() => Promise.resolve(new Response('id')));
    await fetchAuthorized('/export/deliveries', own);
    await vi.advanceTimersByTimeAsync(10 * LIMIT_MS);
    expect(send.mock.lastCall?.[1]?.signal?.aborted).toBe(false);
    vi.useRealTimers();
  });

  it('start an import by query parameters', async () => {
    const send = reply({ ok: true, uploadLog: 'u1' });
    await expect(startImport(request, context(send))).resolves.toBe('u1');
    expect(send.mock.calls[0]?.[0]).toBe(
      '/upload-deliveries?url=%2Fobjects%2Fk1.csv&filename=a+%26+b.csv&sourceId=s1',
    );
  });

  it('start an import in another mode, a check, or one that waits for columns', async () => {
    const send = reply({ ok: true, uploadLog: 'u1' });
    await startImport({ ...request, mode: 'skip_existing', dryRun: true, chooseColumns: true }, context(send));
    expect(send.mock.calls[0]?.[0]).toContain('&sourceId=s1&mode=skip_existing&dryRun=true&chooseColumns=true');
    expect(new Headers(send.mock.calls[0]?.[1]?.headers).get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('count and start an undo, once however often it is sent', async () => {
    const send = reply({ ok: true, reversed: 3, kept: 1, failed: 0, total: 4 });
    await expect(previewUndo('u1', context(send))).resolves.toMatchObject({ reversed: 3, kept: 1, failed: 0 });
    await startUndo('u1', 'k-1', context(send));
    const [preview, start] = send.mock.calls;
    expect(preview?.[0]).toBe('/undo-uploaded-deliveries?uploadLog=u1&dryRun=true');
    expect(start?.[0]).toBe('/undo-uploaded-deliveries?uploadLog=u1');
    expect(new Headers(start?.[1]?.headers).get('idempotency-key')).toBe('k-1');
  });

  it("pass the server's own reason on", async () => {
    const send = reply({ ok: false, error: 'Source is disabled', code: 'SOURCE_DISABLED' }, 422);
    const failure = await startImport(request, context(send)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WebActionError);
    expect(failure).toMatchObject({ message: 'Source is disabled', code: 'SOURCE_DISABLED' });
  });

  it.each([
    ['a page instead of an answer', vi.fn<Send>(() => Promise.resolve(new Response('<html>', { status: 502 })))],
    ['an answer without a log', reply({ ok: true })],
    ['a lost network', vi.fn<Send>(() => Promise.reject(new TypeError('lost')))],
  ])('say that an error occurred for %s', async (_, send) => {
    await expect(startImport(request, context(send))).rejects.toThrow('An error has occurred');
  });
});

const MAX = 1000;

it.each([
  ['a.csv', 10, undefined],
  ['A.XLSX', MAX, undefined],
  ['a.ods', MAX, undefined],
  ['a.xls', 10, undefined],
  ['a.xlsb', 10, 'type'],
  ['a.csv', MAX + 1, 'size'],
  ['a.csv', 0, 'empty'],
  ['a.pdf', 10, 'type'],
  ['csv', 10, 'type'],
])('judges a file %s of %i bytes', (name, size, problem) => {
  expect(checkImportFile({ name, size }, MAX)).toBe(problem);
});

describe('the picture of a logo', () => {
  it('is svg, jpeg, jpg or png', () => {
    expect(LOGO_EXTENSIONS).toEqual(['svg', 'jpeg', 'jpg', 'png']);
    for (const extension of LOGO_EXTENSIONS) {
      expect(checkLogoFile({ name: `a.b.${extension.toUpperCase()}`, size: 1 })).toBeUndefined();
    }
    for (const name of ['a.gif', 'png', 'a.png.exe', 'a.']) {
      expect(checkLogoFile({ name, size: 1 })).toBe('type');
    }
  });

  it('has something in it, and not too much', () => {
    expect(checkLogoFile({ name: 'a.png', size: 0 })).toBe('empty');
    expect(checkLogoFile({ name: 'a.png', size: MAX_LOGO_BYTES })).toBeUndefined();
    expect(checkLogoFile({ name: 'a.png', size: MAX_LOGO_BYTES + 1 })).toBe('size');
  });
});
