import { useEffect, useRef, useState } from 'react';
import { useAuth } from '@/auth/use-auth';
import { useTimeZone } from '@/data/use-time-zone';
import { dayOf } from '@/lib/dates';
import { chooseTarget, saveStream } from '@/lib/save-stream';
import type { ListShown } from '@/list/resource';
import { fetchAuthorized, WebActionError } from '@/uploads/web-actions';
import { EXPORT_TYPES, exportAddress, type ExportFormat } from './export-address';

export type ExportState =
  | {
      status: 'running';
      format: ExportFormat;
      bytes: number;
      /** Of the whole file; a CSV is sent before its end is known. */
      total?: number | undefined;
    }
  | { status: 'done'; filename: string; bytes: number }
  | { status: 'failed'; format: ExportFormat; text: string | undefined };

/** A fast network brings hundreds of pieces a second. */
const REDRAW_MS = 150;

/** Saves everything the list's filters let through, in its order, as a file. One at a time. */
export function useExport(shown: ListShown) {
  const { getToken } = useAuth();
  const timeZone = useTimeZone();
  const [state, setState] = useState<ExportState>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function start(format: ExportFormat) {
    if (running.current) return;
    const filename = `deliveries-${dayOf(new Date(), timeZone)}.${format}`;
    const control = new AbortController();
    running.current = control;
    const { signal } = control;
    try {
      const target = await chooseTarget(filename);
      if (!target || signal.aborted) return;
      setState({ status: 'running', format, bytes: 0 });
      const address = exportAddress(format, shown, timeZone);
      const { body, headers } = await fetchAuthorized(address, { getToken, signal });
      if (!body) throw new WebActionError('');
      const total = Number(headers.get('content-length')) || undefined;
      let bytes = 0;
      let drawn = 0;
      await saveStream(body, target, EXPORT_TYPES[format], (read) => {
        bytes = read;
        if (Date.now() - drawn < REDRAW_MS) return;
        drawn = Date.now();
        setState({ status: 'running', format, bytes, total });
      });
      setState({ status: 'done', filename: target.filename, bytes });
    } catch (error) {
      if (signal.aborted) {
        setState(undefined);
        return;
      }
      // What breaks off in the middle has no text of the server's.
      const text = error instanceof WebActionError ? error.message || undefined : undefined;
      setState({ status: 'failed', format, text });
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
