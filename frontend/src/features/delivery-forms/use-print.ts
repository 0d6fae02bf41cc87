import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/ui/toast';

const STEP_MS = 100;
/** After this, the page explains why nothing is printed yet. */
const PATIENCE_MS = 5000;

const wait = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/**
 * Prints the form, but never before its text and pictures are there, since nobody could tell from the paper that they
 * are missing. `hasFailed` is true if the text could not be loaded, so that the form on screen is not the wanted one.
 * Printing then focuses `failure`, the note that says so.
 */
export function usePrint(
  paper: RefObject<HTMLElement | null>,
  failure: RefObject<HTMLElement | null>,
  hasFailed: boolean,
) {
  const { t } = useTranslation('delivery-forms');
  const [isLong, setLong] = useState(false);
  const running = useRef<AbortController>(undefined);

  const cancel = useCallback(() => {
    running.current?.abort();
    setLong(false);
  }, []);

  // Before anything else runs: the failure ends the loading, and the next step of a waiting print would find nothing
  // that loads, and print what was to be left out.
  useLayoutEffect(() => {
    if (hasFailed) cancel();
  }, [hasFailed, cancel]);
  useEffect(() => () => running.current?.abort(), []);

  async function run() {
    cancel();
    if (hasFailed) {
      failure.current?.focus();
      return;
    }
    const { signal } = (running.current = new AbortController());
    for (let waited = 0; paper.current?.querySelector('[data-loading]'); waited += STEP_MS) {
      if (waited === PATIENCE_MS) setLong(true);
      await wait(STEP_MS);
      if (signal.aborted) return;
    }
    const pictures = paper.current?.querySelectorAll('img') ?? [];
    await Promise.allSettled(Array.from(pictures, (picture) => picture.decode?.()));
    if (signal.aborted) return;
    setLong(false);
    if (paper.current?.querySelector('[data-qr]:empty')) {
      toast.error(t('printing.noCode'));
      return;
    }
    window.print();
  }

  return { isLong, start: () => void run(), cancel };
}
