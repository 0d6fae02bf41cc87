import { useState } from 'react';

/** A question in the middle of what somebody started: `ask` waits for the answer. */
export function useQuestion() {
  const [resolve, setResolve] = useState<(yes: boolean) => void>();
  const ask = () => new Promise<boolean>((done) => setResolve(() => done));
  function answer(yes: boolean) {
    resolve?.(yes);
    setResolve(undefined);
  }
  return { isOpen: resolve !== undefined, ask, answer };
}
