import type { RefObject } from 'react';

const STEP_MS = 100;
const PATIENCE_MS = 5000;

const wait = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** Prints once the pictures of the paper are there, or are too long in coming. */
export async function printPaper(paper: RefObject<HTMLElement | null>): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += STEP_MS) {
    if (!paper.current?.querySelector('[data-loading]')) break;
    await wait(STEP_MS);
  }
  const pictures = paper.current?.querySelectorAll('img') ?? [];
  await Promise.allSettled(Array.from(pictures, (picture) => picture.decode?.()));
  window.print();
}
