import { useEffect, useRef, useState } from 'react';
import { useAuth } from '@/auth/use-auth';
import { downloadBlob } from '@/lib/download-blob';
import { fileName } from '@/lib/file-name';
import { toast } from '@/ui/toast';
import type { Paper } from './paper';
import type { Part } from './parts';
import { fetchPdf } from './pdf';
import type { Form } from './queries';

/** Saves one version of a form as PDF. */
export function usePdfDownload(
  form: Pick<Form, 'deliveryId' | 'formVersion'>,
  look: { paper: Paper; without: readonly Part[] },
) {
  const { getToken } = useAuth();
  const [isBusy, setBusy] = useState(false);
  const running = useRef<AbortController>(undefined);

  useEffect(() => () => running.current?.abort(), []);

  async function run() {
    const { signal } = (running.current = new AbortController());
    setBusy(true);
    const { deliveryId, formVersion } = form;
    try {
      const pdf = await fetchPdf({ deliveryId, formVersion, ...look }, { getToken, signal });
      const file = new Blob([pdf], { type: 'application/pdf' });
      downloadBlob(`${fileName(deliveryId, `v${formVersion}`)}.pdf`, file);
    } catch (error) {
      if (signal.aborted) return;
      toast.error(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  }

  return { isBusy, start: () => !isBusy && void run() };
}
