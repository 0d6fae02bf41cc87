import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { checkAttachmentFile, type FileProblem } from '@/data/file-rules';
import { isAborted, putFile } from '@/data/put-file';
import { useOfficeRules } from '@/data/use-office-rules';
import { LINK_FAILED } from '@/data/web-actions';
import { newUuid } from '@/lib/uuid';
import { addAttachmentMutation, type Attachment, type AttachmentKind, attachmentLinkMutation } from './queries';

/** A chosen file, until the delivery is read again and has it. */
export interface PendingAttachment {
  id: string;
  file: File;
  kind: AttachmentKind;
  state: 'waiting' | 'sending' | 'kept' | 'failed';
  /** Uploaded fraction from 0 to 1. */
  share: number;
  message?: string;
  /** Key of the uploaded object, so that it is not uploaded again. */
  url?: string;
  /** Identifies the attachment once the delivery has it. */
  attachmentId?: string;
}

export interface RefusedFile {
  name: string;
  problem: FileProblem | 'many';
}

export interface AttachmentDetails {
  itemNumber?: string | null;
  note?: string | null;
}

export interface AttachmentsControl {
  entries: readonly PendingAttachment[];
  refused: RefusedFile | undefined;
  /** Adds all files, or none if one is invalid. A new signature replaces one that is not uploaded yet. */
  add: (files: readonly File[], kind: AttachmentKind) => void;
  remove: (id: string) => void;
  /** Changes the kind of the files that aren't sent yet, except signatures and files that cannot be of this kind. */
  setKind: (kind: AttachmentKind) => void;
  /** Maximum number of files per attempt, and bytes per file. */
  limits: { files: number; bytes: number };
  /** Uploads the remaining files one by one. Returns all that were uploaded, or undefined if one failed. */
  send: (about?: AttachmentDetails) => Promise<readonly PendingAttachment[] | undefined>;
}

/**
 * Manages the attachments of an outcome, which are uploaded before the outcome is recorded. `saved` are the files that the
 * attempt already has.
 */
export function useAttachments(deliveryId: string, saved: readonly Pick<Attachment, 'id'>[]): AttachmentsControl {
  const client = useClient();
  const { maxAttachments: files, maxAttachmentBytes: bytes } = useOfficeRules();
  const [all, setAll] = useState<readonly PendingAttachment[]>([]);
  const [refused, setRefused] = useState<RefusedFile>();
  const running = useRef<AbortController>(undefined);
  // Read the entries through a ref, since the next step of an upload can come before the next render.
  const latest = useRef(all);

  const write = useCallback((next: readonly PendingAttachment[]) => {
    latest.current = next;
    setAll(next);
  }, []);
  const change = useCallback(
    (id: string, changes: Partial<PendingAttachment>) =>
      write(latest.current.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry))),
    [write],
  );

  // At once, because what follows the files must not be sent once the form is left.
  useLayoutEffect(() => () => running.current?.abort(), []);

  const add = useCallback(
    (chosen: readonly File[], kind: AttachmentKind) => {
      const rest = unsaved(latest.current, saved).filter(
        (entry) => kind !== 'signature' || entry.kind !== kind || entry.state === 'kept',
      );
      for (const [index, file] of chosen.entries()) {
        const problem =
          checkAttachmentFile(file, { documents: takesDocuments(kind), maxBytes: bytes }) ??
          (saved.length + rest.length + index >= files ? 'many' : undefined);
        if (problem) {
          setRefused({ name: file.name, problem });
          return;
        }
      }
      setRefused(undefined);
      const added = chosen.map(
        (file): PendingAttachment => ({ id: newUuid(), file, kind, state: 'waiting', share: 0 }),
      );
      write([...rest, ...added]);
    },
    [write, saved, files, bytes],
  );

  const remove = useCallback(
    (id: string) => write(latest.current.filter((entry) => entry.id !== id)),
    [write],
  );

  const setKind = useCallback(
    (kind: AttachmentKind) => {
      const takes = ({ file, state, kind: own }: PendingAttachment) =>
        (state === 'waiting' || state === 'failed') &&
        own !== 'signature' &&
        checkAttachmentFile(file, { documents: takesDocuments(kind), maxBytes: bytes }) === undefined;
      write(latest.current.map((entry) => (takes(entry) ? { ...entry, kind } : entry)));
    },
    [write, bytes],
  );

  const sendOne = useCallback(
    async ({ id, file, kind, url: known }: PendingAttachment, about: AttachmentDetails, signal: AbortSignal) => {
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
        change(id, { state: 'kept', share: 1, attachmentId: data.addAttachment.id });
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
    async (about: AttachmentDetails = {}) => {
      running.current?.abort();
      const { signal } = (running.current = new AbortController());
      let isAllKept = true;
      for (const { id } of latest.current) {
        // Read again, since it may have changed while the files before it were sent.
        const entry = latest.current.find((one) => one.id === id);
        if (!entry || entry.state === 'kept') continue;
        if (signal.aborted) return undefined;
        // One at a time, to suit slow mobile connections.
        // oxlint-disable-next-line no-await-in-loop
        isAllKept = (await sendOne(entry, about, signal)) && isAllKept;
      }
      return isAllKept && !signal.aborted ? latest.current : undefined;
    },
    [sendOne],
  );

  return { entries: unsaved(all, saved), refused, add, remove, setKind, send, limits: { files, bytes } };
}

/** Returns the files that aren't among those of the delivery. */
function unsaved(entries: readonly PendingAttachment[], saved: readonly Pick<Attachment, 'id'>[]) {
  return entries.filter(({ attachmentId }) => !saved.some(({ id }) => id === attachmentId));
}

/** Whether files of a kind may be documents as well as pictures. */
export function takesDocuments(kind: AttachmentKind): boolean {
  return kind === 'document' || kind === 'other';
}

/**
 * Returns the server's message about a refused file or too many files. Returns undefined for other failures, which
 * are reported as `LINK_FAILED`.
 */
function refusalOf(error: unknown): string | undefined {
  const failed = normalizeError(error);
  const isSaid = failed.kind === 'input' || failed.code === 'RATE_LIMITED';
  return isSaid ? errorText(failed) : undefined;
}
