import { useClient } from 'urql';
import { timedFetch } from '@/data/timed-fetch';
import { presign, type StoredFile, useStoredFile } from '@/domain/proof/stored-file';
import type { FormPicture } from './queries';

/** Statuses that may change when the request is repeated: 408, 429 and failures of a server or proxy. */
const isTemporary = (status: number) => status === 408 || status === 429 || status >= 500;

/**
 * Loads an attachment as an object URL. It has to be fetched: the server sends files as downloads, possibly from a host
 * whose images the content security policy blocks.
 */
export function usePicture({ url, contentType }: Pick<FormPicture, 'url' | 'contentType'>) {
  const client = useClient();
  return useStoredFile(url, async (signal): Promise<StoredFile> => {
    const link = await presign(client, url);
    if (link.status !== 'ready') return link;
    const response = await timedFetch(link.address, { signal }, { isLarge: true });
    if (!response.ok) return { status: isTemporary(response.status) ? 'unavailable' : 'missing' };
    const content = await response.blob();
    signal.throwIfAborted();
    const address = URL.createObjectURL(new Blob([content], { type: contentType }));
    signal.addEventListener('abort', () => URL.revokeObjectURL(address));
    return { status: 'ready', address };
  });
}
