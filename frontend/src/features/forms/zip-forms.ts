// Many forms as one ZIP: read some at a time, packed as they come, so that only the ZIP itself grows.
import { fileName } from '@/lib/file-name';
import { isAborted } from '@/uploads/put-file';
import { WebActionError, type WebActionContext } from '@/uploads/web-actions';
import { fetchPdf, type Paper } from './paper';

const AT_ONCE = 4;
const NOT_FOUND = 404;
const SIGNED_OUT = 401;

export interface FailedForm {
  deliveryId: string;
  text: string;
}

export interface ZipResult {
  /** Undefined when not one form came. */
  zip: Blob | undefined;
  saved: number;
  /** Deliveries that have no form, which asking again would not change. */
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

/** What the work on each comes to, as soon as it does; never more of it at once than the limit. */
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
      // When one ends the whole, nobody waits for the others any more.
      job.catch(() => undefined);
      running.set(index, job);
    }
    if (running.size === 0) return;
    const { index, result } = await Promise.race(running.values());
    running.delete(index);
    yield result;
  }
}

/** Names of files that differ, also where case does not count. */
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

/** Throws only when it was called off; whatever single forms fail with is in the result. */
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

  const { downloadZip } = await import('client-zip');
  const zip = await downloadZip(files()).blob();
  context.signal?.throwIfAborted();
  // They came in the order of their answers.
  const place = new Map(ids.map((id, index) => [id, index]));
  const byPlace = (one: string, other: string) => (place.get(one) ?? 0) - (place.get(other) ?? 0);
  return {
    zip: saved > 0 ? zip : undefined,
    saved,
    missing: missing.toSorted(byPlace),
    failed: failed.toSorted((one, other) => byPlace(one.deliveryId, other.deliveryId)),
  };
}
