// Saves a response as a file while it downloads. Browsers that can write to a chosen file keep nothing in memory;
// others collect the whole file first.
import { downloadBlob } from './download-blob';

interface Writable {
  write: (chunk: Uint8Array) => Promise<void>;
  close: () => Promise<void>;
  abort: () => Promise<void>;
}

/** The destination of a download. */
export interface SaveTarget {
  filename: string;
  handle?: { name?: string; createWritable: () => Promise<Writable> };
}

interface Picker {
  showSaveFilePicker?: (options: {
    suggestedName: string;
  }) => Promise<NonNullable<SaveTarget['handle']>>;
}

/**
 * Asks where to save, if the browser supports it. Call it in the click handler before any await. Resolves to undefined
 * if the user cancels.
 */
export async function chooseTarget(filename: string): Promise<SaveTarget | undefined> {
  const { showSaveFilePicker } = window as Picker;
  if (!showSaveFilePicker) return { filename };
  try {
    const handle = await showSaveFilePicker.call(window, { suggestedName: filename });
    // The dialog lets the user rename the file.
    return { filename: handle.name || filename, handle };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    // A frame or a policy blocked the dialog, so fall back to a normal download.
    return { filename };
  }
}

/** Saves the stream; an incomplete file is discarded. */
export async function saveStream(
  stream: ReadableStream<Uint8Array>,
  { filename, handle }: SaveTarget,
  type: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const reader = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let file: Writable | undefined;
  let bytes = 0;
  try {
    file = await handle?.createWritable();
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
