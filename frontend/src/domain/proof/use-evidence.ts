import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { useOfficeRules } from '@/data/use-office-rules';
import { newUuid } from '@/lib/uuid';
import { checkEvidenceFile, type FileProblem } from '@/uploads/file-rules';
import { isAborted, putFile } from '@/uploads/put-file';
import { LINK_FAILED } from '@/uploads/web-actions';
import { addAttachmentMutation, type AttachmentKind, attachmentLinkMutation } from './queries';

/** A file that was chosen and is, or will be, kept with the delivery. */
export interface Evidence {
  id: string;
  file: File;
  kind: AttachmentKind;
  state: 'waiting' | 'sending' | 'kept' | 'failed';
  /** From 0 to 1. */
  share: number;
  message?: string;
  /** Where it lies, once it was sent. It is not sent twice. */
  url?: string;
}

export interface RefusedFile {
  name: string;
  problem: FileProblem | 'many';
}

export interface EvidenceAbout {
  itemNumber?: string | null;
  note?: string | null;
}

export interface EvidenceControl {
  entries: readonly Evidence[];
  refused: RefusedFile | undefined;
  /** Puts files in, all of them or none; one of a kind that there is only one of replaces it. */
  add: (files: readonly File[], kind: AttachmentKind) => void;
  remove: (id: string) => void;
  /** How many files an attempt takes, and bytes of each. */
  limits: { files: number; bytes: number };
  /** Sends what is not kept yet, one after the other; false when one of them could not be kept. */
  send: (about?: EvidenceAbout) => Promise<boolean>;
}

/** Files that prove something, kept before what they prove is told. `before`: files the attempt has already. */
export function useEvidence(deliveryId: string, before: number): EvidenceControl {
  const client = useClient();
  const { maxAttachments: files, maxAttachmentBytes: bytes } = useOfficeRules();
  const [entries, setEntries] = useState<readonly Evidence[]>([]);
  const [refused, setRefused] = useState<RefusedFile>();
  const running = useRef<AbortController>(undefined);
  // What is being sent is read here: a render may come later than the next step.
  const latest = useRef(entries);

  const write = useCallback((next: readonly Evidence[]) => {
    latest.current = next;
    setEntries(next);
  }, []);
  const change = useCallback(
    (id: string, changes: Partial<Evidence>) =>
      write(latest.current.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry))),
    [write],
  );

  useEffect(() => () => running.current?.abort(), []);

  const add = useCallback(
    (chosen: readonly File[], kind: AttachmentKind) => {
      const rest = latest.current.filter(
        (entry) => kind !== 'signature' || entry.kind !== kind || entry.state === 'kept',
      );
      for (const [index, file] of chosen.entries()) {
        const documents = kind === 'document' || kind === 'other';
        const problem =
          checkEvidenceFile(file, { documents, maxBytes: bytes }) ??
          (before + rest.length + index >= files ? 'many' : undefined);
        if (problem) {
          setRefused({ name: file.name, problem });
          return;
        }
      }
      setRefused(undefined);
      const added = chosen.map(
        (file): Evidence => ({ id: newUuid(), file, kind, state: 'waiting', share: 0 }),
      );
      write([...rest, ...added]);
    },
    [write, before, files, bytes],
  );

  const remove = useCallback(
    (id: string) => write(latest.current.filter((entry) => entry.id !== id)),
    [write],
  );

  const sendOne = useCallback(
    async ({ id, file, kind, url: known }: Evidence, about: EvidenceAbout, signal: AbortSignal) => {
      change(id, { state: 'sending', share: 0, message: undefined });
      try {
        let url = known;
        if (!url) {
          const { data, error } = await client
            .mutation(attachmentLinkMutation, { input: { deliveryId, filename: file.name } })
            .toPromise();
          if (!data) throw new Error(refusalOf(error) ?? LINK_FAILED);
          const sent = await putFile(data.requestAttachmentLink.url, file, {
            signal,
            onProgress: (share) => change(id, { share }),
          });
          url = sent.data.url;
          change(id, { url, share: 1 });
        }
        const { data, error } = await client
          .mutation(addAttachmentMutation, { input: { deliveryId, url, kind, ...about } })
          .toPromise();
        if (!data) throw new Error(errorText(normalizeError(error)));
        change(id, { state: 'kept', share: 1 });
        return true;
      } catch (error) {
        if (isAborted(error)) return false;
        const message = error instanceof Error ? error.message : String(error);
        change(id, { state: 'failed', message });
        return false;
      }
    },
    [client, deliveryId, change],
  );

  const send = useCallback(
    async (about: EvidenceAbout = {}) => {
      running.current?.abort();
      const { signal } = (running.current = new AbortController());
      let isAllKept = true;
      for (const entry of latest.current) {
        if (entry.state === 'kept') continue;
        if (signal.aborted) return false;
        // One at a time, as a phone's line carries no more.
        // oxlint-disable-next-line no-await-in-loop
        isAllKept = (await sendOne(entry, about, signal)) && isAllKept;
      }
      return isAllKept;
    },
    [sendOne],
  );

  return { entries, refused, add, remove, send, limits: { files, bytes } };
}

/** What the server said about a refused file, or about too many; of anything else only that there is no link. */
function refusalOf(error: unknown): string | undefined {
  const failed = normalizeError(error);
  const isSaid = failed.kind === 'input' || failed.code === 'RATE_LIMITED';
  return isSaid ? errorText(failed) : undefined;
}
