// Saves what comes over the network as a file while it comes. Where the browser can write to a file
// that was chosen first, nothing is held in memory; elsewhere it is kept until it is whole.
import { downloadBlob } from './download-blob';

interface Writable {
  write: (chunk: Uint8Array) => Promise<void>;
  close: () => Promise<void>;
  abort: () => Promise<void>;
}

/** Where a file goes that is not there yet. */
export interface SaveTarget {
  filename: string;
  handle?: { createWritable: () => Promise<Writable> };
}

interface Picker {
  showSaveFilePicker?: (options: {
    suggestedName: string;
  }) => Promise<NonNullable<SaveTarget['handle']>>;
}

/**
 * Asks where to save, if the browser can. To be called by a click, before anything is waited for.
 * Undefined when whoever was asked would rather not.
 */
export async function chooseTarget(filename: string): Promise<SaveTarget | undefined> {
  const { showSaveFilePicker } = window as Picker;
  if (!showSaveFilePicker) return { filename };
  try {
    const handle = await showSaveFilePicker.call(window, { suggestedName: filename });
    return { filename, handle };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    // A frame or a policy forbids it: the ordinary download is left.
    return { filename };
  }
}

/** Saves the stream. What was written is thrown away when it does not come to its end. */
export async function saveStream(
  stream: ReadableStream<Uint8Array>,
  { filename, handle }: SaveTarget,
  type: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const reader = stream.getReader();
  const file = await handle?.createWritable();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (file) await file.write(value);
      else chunks.push(value as Uint8Array<ArrayBuffer>);
      bytes += value.byteLength;
      onBytes(bytes);
    }
    await file?.close();
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    await file?.abort().catch(() => undefined);
    throw error;
  }
  if (!file) downloadBlob(filename, new Blob(chunks, { type }));
}
