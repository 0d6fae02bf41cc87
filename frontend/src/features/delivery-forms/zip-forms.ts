// Builds one ZIP of many forms. A few are fetched at a time and packed as they arrive, so that memory holds little
// besides the ZIP.
import { isAborted } from '@/data/put-file';
import { WebActionError, type WebActionContext } from '@/data/web-actions';
import { fileName } from '@/lib/file-name';
import { fetchPdf, type Paper } from './paper';

const AT_ONCE = 4;
const NOT_FOUND = 404;
const SIGNED_OUT = 401;

export interface FailedForm {
  deliveryId: string;
  text: string;
}

export interface ZipResult {
  /** Undefined if no form could be fetched. */
  zip: Blob | undefined;
  saved: number;
  /** Deliveries without a form; retrying does not help. */
  missing: string[];
  failed: FailedForm[];
}

interface ZipOptions extends WebActionContext {
  paper: Paper;
  onProgress: (done: number) => void;
}

interface Packed {
  name: string;
  input: Uint8Array;
}

/** Yields the result of each item as soon as it is done, with a limited number in progress at once. */
async function* inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running = new Map<number, Promise<{ index: number; result: Result }>>();
  let next = 0;
  for (;;) {
    while (running.size < limit && next < items.length) {
      const index = next++;
      const job = work(items[index] as Item).then((result) => ({ index, result }));
      // When one failure ends the generator, nobody awaits the other promises.
      job.catch(() => undefined);
      running.set(index, job);
    }
    if (running.size === 0) return;
    const { index, result } = await Promise.race(running.values());
    running.delete(index);
    yield result;
  }
}

/** Returns a function that makes file names unique, ignoring case. */
function uniqueNames(): (deliveryId: string) => string {
  const taken = new Set<string>();
  return (deliveryId) => {
    let name = `${fileName(deliveryId)}.pdf`;
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) {
      name = `${fileName(deliveryId, String(count))}.pdf`;
    }
    taken.add(name.toLowerCase());
    return name;
  };
}

/** The code that packs the ZIP could not be loaded. */
export class MissingPartError extends Error {}

function loadPacker() {
  return import('client-zip').catch((cause: unknown) => {
    throw new MissingPartError('client-zip', { cause });
  });
}

/** Rejects if canceled or with a `MissingPartError`; errors of single forms are part of the result. */
export async function zipForms(ids: readonly string[], options: ZipOptions): Promise<ZipResult> {
  const { paper, onProgress, ...context } = options;
  const missing: string[] = [];
  const failed: FailedForm[] = [];
  const nameOf = uniqueNames();
  let done = 0;
  let saved = 0;
  let signedOut: string | undefined;

  async function read(deliveryId: string): Promise<Packed | undefined> {
    if (signedOut !== undefined) {
      failed.push({ deliveryId, text: signedOut });
      return undefined;
    }
    try {
      const input = new Uint8Array(await fetchPdf({ deliveryId, paper }, context));
      return { name: nameOf(deliveryId), input };
    } catch (error) {
      if (context.signal?.aborted || isAborted(error)) throw error;
      const text = error instanceof Error ? error.message : String(error);
      const status = error instanceof WebActionError ? error.status : undefined;
      if (status === SIGNED_OUT) signedOut = text;
      if (status === NOT_FOUND) missing.push(deliveryId);
      else failed.push({ deliveryId, text });
      return undefined;
    }
  }

  async function* files() {
    for await (const file of inParallel(ids, AT_ONCE, read)) {
      context.signal?.throwIfAborted();
      done += 1;
      onProgress(done);
      if (!file) continue;
      saved += 1;
      yield file;
    }
  }

  const { downloadZip } = await loadPacker();
  const zip = await downloadZip(files()).blob();
  context.signal?.throwIfAborted();
  // Restore the order of the ids, since results arrive in any order.
  const place = new Map(ids.map((id, index) => [id, index]));
  const byPlace = (one: string, other: string) => (place.get(one) ?? 0) - (place.get(other) ?? 0);
  return {
    zip: saved > 0 ? zip : undefined,
    saved,
    missing: missing.toSorted(byPlace),
    failed: failed.toSorted((one, other) => byPlace(one.deliveryId, other.deliveryId)),
  };
}
