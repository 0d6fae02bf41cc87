import { vi } from 'vitest';

/** Replaces `fetch` by one whose connections hang until they are aborted. */
export function hangingFetch() {
  const send = vi.fn<typeof fetch>(
    (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
      }),
  );
  vi.stubGlobal('fetch', send);
  return send;
}
