import type { Client } from 'urql';
import { type BulkChange, bulkChangeQuery } from './bulk-change-queries';

const LOOK = 500;
/** Looks in a row that may fail: the server may be restarting, and the change goes on meanwhile. */
const PATIENCE = 20;

const pause = (milliseconds: number) => new Promise((resolve) => void setTimeout(resolve, milliseconds));

/**
 * Looks at a change until it has ended, and returns how it ended; nothing when it could not be read for long, or
 * `isWanted` says that nobody looks any more.
 */
export async function watchBulkChange(
  client: Client,
  id: string,
  onLook: (change: BulkChange) => void,
  isWanted: () => boolean = () => true,
): Promise<BulkChange | undefined> {
  let failed = 0;
  while (failed < PATIENCE && isWanted()) {
    const { data } = await client
      .query(bulkChangeQuery, { id }, { requestPolicy: 'network-only' })
      .toPromise();
    const change = data?.bulkChange;
    failed = change ? 0 : failed + 1;
    if (change && isWanted()) {
      onLook(change);
      if (change.finishedAt) return change;
    }
    await pause(LOOK);
  }
  return undefined;
}
