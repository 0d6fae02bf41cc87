import { useCallback, useEffect, useRef, useState } from 'react';
import { useAuth } from '@/auth/use-auth';
import { isAborted, putFile } from '@/data/put-file';
import { type ImportRequest, requestUploadLink, startImport, WebActionError } from '@/data/web-actions';
import { newUuid } from '@/lib/uuid';

export type ImportStep = 'link' | 'upload' | 'start';

export type ImportState =
  | { status: 'idle' }
  | { status: 'busy'; step: ImportStep; file: File; share: number }
  | {
      status: 'failed';
      file: File;
      message: string;
      /** The server's reason, if `message` doesn't give it. */
      detail: string | undefined;
      /** Whether the server may have started the import, although its answer was lost. */
      mayHaveStarted: boolean;
    };

/** Options of an import. */
export type ImportChoices = Required<Pick<ImportRequest, 'sourceId' | 'mode' | 'dryRun' | 'chooseColumns'>>;

/** An import whose file has been uploaded. */
interface Attempt {
  file: File;
  choices: ImportChoices;
  request: ImportRequest & { key: string };
}

/** Whether two files have the same name and bytes. A file that is chosen again is another object. */
async function isSame(one: File, other: File): Promise<boolean> {
  if (one === other) return true;
  if (one.name !== other.name || one.size !== other.size) return false;
  try {
    const [first, second] = await Promise.all([one.arrayBuffer(), other.arrayBuffer()]);
    const bytes = new Uint8Array(second);
    return new Uint8Array(first).every((byte, at) => byte === bytes[at]);
  } catch {
    // The first file was changed or moved after it was chosen.
    return false;
  }
}

const isRepeat = async ({ file, choices }: Attempt, again: File, chosen: ImportChoices) =>
  JSON.stringify(choices) === JSON.stringify(chosen) && (await isSame(file, again));

/** Whether the server may have started the import, although its answer was lost. */
function mayHaveStarted(error: unknown): boolean {
  const { status } = error instanceof WebActionError ? error : {};
  return status === undefined || status < 400 || status >= 500;
}

export interface ImportControl {
  state: ImportState;
  start: (file: File, choices: ImportChoices) => void;
  cancel: () => void;
}

/** Runs the three steps of an import (upload link, upload, start), then calls `onStarted`. */
export function useImport(onStarted: (uploadLog: string) => void): ImportControl {
  const { getToken } = useAuth();
  const [state, setState] = useState<ImportState>({ status: 'idle' });
  const running = useRef<AbortController>(undefined);
  // An import without a response. Retrying it uses the same key and upload, so that the file is not imported twice.
  const unanswered = useRef<Attempt>(undefined);

  useEffect(() => () => running.current?.abort(), []);

  const run = useCallback(
    async (file: File, choices: ImportChoices) => {
      running.current?.abort();
      const { signal } = (running.current = new AbortController());
      const context = { getToken, signal };
      const busy = (step: ImportStep, share = 0) => {
        if (!signal.aborted) setState({ status: 'busy', step, file, share });
      };
      let isUncertain = false;
      async function send(attempt: Attempt) {
        unanswered.current = attempt;
        try {
          const uploadLog = await startImport(attempt.request, context);
          unanswered.current = undefined;
          return uploadLog;
        } catch (error) {
          isUncertain = mayHaveStarted(error);
          if (!isUncertain) unanswered.current = undefined;
          throw error;
        }
      }
      try {
        busy('link');
        let attempt = unanswered.current;
        if (!attempt || !(await isRepeat(attempt, file, choices))) {
          const link = await requestUploadLink(file.name, context);
          busy('upload');
          const { data } = await putFile(link, file, {
            signal,
            onProgress: (share) => busy('upload', share),
          });
          attempt = { file, choices, request: { ...data, ...choices, key: newUuid() } };
        }
        busy('start', 1);
        const uploadLog = await send(attempt);
        if (!signal.aborted) onStarted(uploadLog);
      } catch (error) {
        if (signal.aborted || isAborted(error)) return;
        const message = error instanceof Error ? error.message : String(error);
        const detail = error instanceof WebActionError ? error.detail : undefined;
        setState({ status: 'failed', file, message, detail, mayHaveStarted: isUncertain });
      }
    },
    [getToken, onStarted],
  );

  const cancel = useCallback(() => {
    running.current?.abort();
    setState({ status: 'idle' });
  }, []);

  return {
    state,
    start: useCallback((file, choices) => void run(file, choices), [run]),
    cancel,
  };
}
