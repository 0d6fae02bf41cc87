import { useState } from 'react';

/** A question in the middle of what somebody started: `ask` waits for the answer. */
export function useQuestion() {
  const [answer, setAnswer] = useState<(yes: boolean) => void>();
  const ask = () => new Promise<boolean>((resolve) => setAnswer(() => resolve));
  function give(yes: boolean) {
    answer?.(yes);
    setAnswer(undefined);
  }
  return { isOpen: answer !== undefined, ask, give };
}
