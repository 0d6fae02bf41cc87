import type { Client } from '@urql/core';
import { useCallback, useEffect, useState } from 'react';
import { useClient } from 'urql';
import { presignMutation } from './queries';

export interface PresignedLink {
  link: string | undefined;
  failed: boolean;
  /** Asks for another link: they are valid for minutes only. */
  renew: () => void;
}

const running = new WeakMap<Client, Map<string, Promise<string | undefined>>>();

/**
 * Whoever wants the same link at the same moment gets the same answer. The client would end one of
 * two equal mutations with the other, without an answer.
 */
function presign(client: Client, url: string): Promise<string | undefined> {
  const asked = running.get(client) ?? new Map<string, Promise<string | undefined>>();
  running.set(client, asked);
  const known = asked.get(url);
  if (known) return known;
  const answer = client
    .mutation(presignMutation, { url })
    .toPromise()
    .then(({ data }) => data?.mutatePresignedUrl.presignedUrl)
    .finally(() => asked.delete(url));
  asked.set(url, answer);
  return answer;
}

/** A link under which a kept file can be looked at for a while. */
export function usePresigned(url: string): PresignedLink {
  const client = useClient();
  const [round, setRound] = useState(0);
  const [found, setFound] = useState<{ url: string; link: string | undefined }>();

  useEffect(() => {
    let isCurrent = true;
    void presign(client, url).then((link) => {
      if (isCurrent) setFound({ url, link });
    });
    return () => {
      isCurrent = false;
    };
  }, [client, url, round]);

  const own = found?.url === url ? found : undefined;
  return {
    link: own?.link,
    failed: own !== undefined && own.link === undefined,
    renew: useCallback(() => setRound((count) => count + 1), []),
  };
}
