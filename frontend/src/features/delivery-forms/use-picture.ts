import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { presignMutation } from '@/domain/proof/queries';
import type { FormPicture } from './queries';

export type Picture =
  | { status: 'loading' }
  | { status: 'failed' }
  /** The stored object differs from what was uploaded. */
  | { status: 'damaged' }
  | { status: 'ready'; address: string };

/** The server's reason code for a damaged object. */
const DAMAGED = 'OBJECT_DAMAGED';

const LOADING: Picture = { status: 'loading' };

/**
 * Loads an attachment as an object URL. It has to be fetched: the server sends files as downloads, possibly from a host
 * whose images the content security policy blocks.
 */
export function usePicture({ url, contentType }: Pick<FormPicture, 'url' | 'contentType'>): Picture {
  const client = useClient();
  const [found, setFound] = useState<{ url: string; picture: Picture }>();

  useEffect(() => {
    const controller = new AbortController();
    let address: string | undefined;

    async function read(): Promise<Picture> {
      const { data, error } = await client.mutation(presignMutation, { url }).toPromise();
      const isDamaged = error?.graphQLErrors.some(({ extensions }) => extensions.reason === DAMAGED);
      if (isDamaged) return { status: 'damaged' };
      const link = data?.mutatePresignedUrl.presignedUrl;
      if (!link || controller.signal.aborted) return { status: 'failed' };
      const response = await fetch(link, { signal: controller.signal });
      if (!response.ok) return { status: 'failed' };
      const content = await response.blob();
      if (controller.signal.aborted) return { status: 'failed' };
      address = URL.createObjectURL(new Blob([content], { type: contentType }));
      return { status: 'ready', address };
    }

    void read()
      .catch((): Picture => ({ status: 'failed' }))
      .then((picture) => {
        if (!controller.signal.aborted) setFound({ url, picture });
      });
    return () => {
      controller.abort();
      if (address !== undefined) URL.revokeObjectURL(address);
    };
  }, [client, url, contentType]);

  return found?.url === url ? found.picture : LOADING;
}
