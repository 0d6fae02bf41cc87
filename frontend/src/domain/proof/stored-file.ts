import type { Client } from '@urql/core';
import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { useClient } from 'urql';
import { normalizeError } from '@/data/errors';
import { presignMutation } from './queries';

export type StoredFile =
  | { status: 'ready'; address: string }
  /** The file is gone, or this user may not see it. */
  | { status: 'missing' }
  /** The stored object differs from what was uploaded. */
  | { status: 'damaged' }
  /** The network or a server failed, which says nothing about the file. */
  | { status: 'unavailable' };

/** The server's reason code for a damaged object. */
const DAMAGED = 'OBJECT_DAMAGED';
/** Codes of refusals that stay the same when the request is repeated. */
const FINAL = new Set(['NOT_FOUND', 'FORBIDDEN', 'BAD_USER_INPUT', 'FAILED_PRECONDITION']);

const running = new WeakMap<Client, Map<string, Promise<StoredFile>>>();

/**
 * Requests a temporary link to a file. Concurrent callers for the same file share one request, because urql would cancel
 * one of two identical mutations without a response.
 */
export function presign(client: Client, url: string): Promise<StoredFile> {
  const asked = running.get(client) ?? new Map<string, Promise<StoredFile>>();
  running.set(client, asked);
  const known = asked.get(url);
  if (known) return known;
  const answer = requestLink(client, url).finally(() => asked.delete(url));
  asked.set(url, answer);
  return answer;
}

async function requestLink(client: Client, url: string): Promise<StoredFile> {
  const { data, error } = await client.mutation(presignMutation, { url }).toPromise();
  const address = data?.mutatePresignedUrl.presignedUrl;
  if (address) return { status: 'ready', address };
  const { code, reason } = normalizeError(error);
  if (reason === DAMAGED) return { status: 'damaged' };
  return { status: code && FINAL.has(code) ? 'missing' : 'unavailable' };
}

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Looks for a file, and again after growing pauses while it is unavailable. `signal` aborts when the file is no longer
 * shown or is looked for anew.
 */
export function useStoredFile(url: string, find: (signal: AbortSignal) => Promise<StoredFile>) {
  const [round, setRound] = useState(0);
  const [found, setFound] = useState<{ url: string; file: StoredFile }>();
  const findFile = useEffectEvent(find);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;

    async function look(pause: number) {
      const file = await findFile(signal).catch((): StoredFile => ({ status: 'unavailable' }));
      if (signal.aborted) return;
      setFound({ url, file });
      if (file.status !== 'unavailable') return;
      timer = setTimeout(() => void look(Math.min(2 * pause, LONGEST_PAUSE_MS)), pause);
    }

    void look(FIRST_PAUSE_MS);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [url, round]);

  return {
    /** Undefined until the first answer. */
    file: found?.url === url ? found.file : undefined,
    /** Looks again at once. Until then, `file` stays. */
    renew: useCallback(() => setRound((count) => count + 1), []),
  };
}

/** A temporary link to a stored attachment. It expires after a few minutes. */
export function usePresigned(url: string) {
  const client = useClient();
  return useStoredFile(url, () => presign(client, url));
}
