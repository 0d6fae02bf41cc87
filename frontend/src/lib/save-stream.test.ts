import { expect, it, vi } from 'vitest';
import { saveStream } from './save-stream';

it('stops the download if the file cannot be opened', async () => {
  const cancel = vi.fn<() => void>();
  const stream = new ReadableStream<Uint8Array>({ cancel });
  const handle = { createWritable: () => Promise.reject(new Error('The file is in use')) };
  const saving = saveStream(stream, { filename: 'a.csv', handle }, 'text/csv', () => undefined);
  await expect(saving).rejects.toThrow('The file is in use');
  expect(cancel).toHaveBeenCalledOnce();
});
