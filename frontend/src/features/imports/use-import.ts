import { useCallback, useEffect, useRef, useState } from 'react';
import { useAuth } from '@/auth/use-auth';
import { isAborted, putFile } from '@/uploads/put-file';
import { type ImportRequest, requestUploadLink, startImport } from '@/uploads/web-actions';

export type ImportStep = 'link' | 'upload' | 'start';

export type ImportState =
  | { status: 'idle' }
  | { status: 'busy'; step: ImportStep; file: File; share: number }
  | { status: 'failed'; file: File; message: string };

/** How the file is to be imported. */
export type ImportChoices = Required<Pick<ImportRequest, 'sourceId' | 'mode' | 'dryRun'>>;

export interface ImportControl {
  state: ImportState;
  start: (file: File, choices: ImportChoices) => void;
  cancel: () => void;
}

/** Link, upload, start: three steps of one import, which ends at its details page. */
export function useImport(onStarted: (uploadLog: string) => void): ImportControl {
  const { getToken } = useAuth();
  const [state, setState] = useState<ImportState>({ status: 'idle' });
  const running = useRef<AbortController>(undefined);

  useEffect(() => () => running.current?.abort(), []);

  const run = useCallback(
    async (file: File, choices: ImportChoices) => {
      running.current?.abort();
      const { signal } = (running.current = new AbortController());
      const context = { getToken, signal };
      const busy = (step: ImportStep, share = 0) => {
        if (!signal.aborted) setState({ status: 'busy', step, file, share });
      };
      try {
        busy('link');
        const link = await requestUploadLink(file.name, context);
        busy('upload');
        const { data } = await putFile(link, file, {
          signal,
          onProgress: (share) => busy('upload', share),
        });
        busy('start', 1);
        const uploadLog = await startImport({ ...data, ...choices }, context);
        if (!signal.aborted) onStarted(uploadLog);
      } catch (error) {
        if (signal.aborted || isAborted(error)) return;
        const message = error instanceof Error ? error.message : String(error);
        setState({ status: 'failed', file, message });
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
