import { useCallback, useState } from 'react';

/** State of a confirmation dialog. `confirm` opens the dialog and resolves with the answer. */
export function useConfirm() {
  const [resolve, setResolve] = useState<(yes: boolean) => void>();
  const confirm = useCallback(() => new Promise<boolean>((done) => setResolve(() => done)), []);
  function answer(yes: boolean) {
    resolve?.(yes);
    setResolve(undefined);
  }
  return { isOpen: resolve !== undefined, confirm, answer };
}
