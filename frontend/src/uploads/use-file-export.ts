import { useEffect, useRef, useState } from 'react';
import { useAuth } from '@/auth/use-auth';
import { chooseTarget, saveStream } from '@/lib/save-stream';
import { fetchAuthorized, WebActionError } from './web-actions';

export type FileExportState<Format extends string> =
  | {
      status: 'running';
      format: Format;
      bytes: number;
      /** Of the whole file, where its end is known before it is sent. */
      total?: number | undefined;
    }
  | { status: 'done'; filename: string; bytes: number }
  | { status: 'failed'; format: Format; text: string | undefined };

interface FileToSave {
  filename: string;
  /** Where the server makes it. */
  address: string;
  type: string;
}

interface Options {
  onDone?: (saved: { filename: string; bytes: number }) => void;
  /** With what the server said, if it did. */
  onFailed?: (text: string | undefined) => void;
}

/** A fast network brings hundreds of pieces a second. */
const REDRAW_MS = 150;

/** Saves a file that the server makes for who is signed in, while it comes. One at a time. */
export function useFileExport<Format extends string>({ onDone, onFailed }: Options = {}) {
  const { getToken } = useAuth();
  const [state, setState] = useState<FileExportState<Format>>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function start(format: Format, { filename, address, type }: FileToSave) {
    if (running.current) return;
    const control = new AbortController();
    running.current = control;
    const { signal } = control;
    try {
      const target = await chooseTarget(filename);
      if (!target || signal.aborted) return;
      setState({ status: 'running', format, bytes: 0 });
      const { body, headers } = await fetchAuthorized(address, { getToken, signal });
      if (!body) throw new WebActionError('');
      const total = Number(headers.get('content-length')) || undefined;
      let bytes = 0;
      let drawn = 0;
      await saveStream(body, target, type, (read) => {
        bytes = read;
        if (Date.now() - drawn < REDRAW_MS) return;
        drawn = Date.now();
        setState({ status: 'running', format, bytes, total });
      });
      setState({ status: 'done', filename: target.filename, bytes });
      onDone?.({ filename: target.filename, bytes });
    } catch (error) {
      if (signal.aborted) {
        setState(undefined);
        return;
      }
      // What breaks off in the middle has no text of the server's.
      const text = error instanceof WebActionError ? error.message || undefined : undefined;
      setState({ status: 'failed', format, text });
      onFailed?.(text);
    } finally {
      running.current = undefined;
    }
  }

  return {
    state,
    start,
    cancel: () => running.current?.abort(),
    dismiss: () => setState(undefined),
  };
}
