import { useEffect, useRef, useState } from 'react';
import { useAuth } from '@/auth/use-auth';
import { useTimeZone } from '@/data/use-time-zone';
import { dayOf } from '@/lib/dates';
import { downloadBlob } from '@/lib/download-blob';
import type { Paper } from './paper';
import { type ZipResult, zipForms } from './zip-forms';

export type ZipState =
  | { status: 'asking' }
  | { status: 'running'; done: number; total: number }
  | { status: 'done'; result: ZipResult }
  | { status: 'broken'; message: string; ids: readonly string[] };

/** Reads the forms of deliveries into one ZIP and hands it to the browser. */
export function useZipDownload(paper: Paper) {
  const { getToken } = useAuth();
  const timeZone = useTimeZone();
  const [state, setState] = useState<ZipState>({ status: 'asking' });
  const running = useRef<AbortController>(undefined);
  const rounds = useRef(0);

  useEffect(() => () => running.current?.abort(), []);

  async function start(ids: readonly string[]) {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    const total = ids.length;
    setState({ status: 'running', done: 0, total });
    try {
      const result = await zipForms(ids, {
        paper,
        getToken,
        signal,
        onProgress: (done) => {
          if (!signal.aborted) setState({ status: 'running', done, total });
        },
      });
      if (signal.aborted) return;
      if (result.zip) {
        rounds.current += 1;
        const round = rounds.current > 1 ? `-${rounds.current}` : '';
        downloadBlob(`delivery-forms-${dayOf(new Date(), timeZone)}${round}.zip`, result.zip);
      }
      setState({ status: 'done', result });
    } catch (error) {
      if (signal.aborted) return;
      setState({
        status: 'broken',
        message: error instanceof Error ? error.message : String(error),
        ids,
      });
    }
  }

  function cancel() {
    running.current?.abort();
    setState({ status: 'asking' });
  }

  return { state, start, cancel };
}
