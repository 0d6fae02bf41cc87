import { useCallback, useMemo, useRef } from 'react';
import { type Go, useWhileHere } from '@/routing/use-while-here';

/** What a form shares with its `UnsavedGuard`. */
export interface Exit {
  /** Whether the form is saved, so that its page can be left without a question. */
  isSaved: () => boolean;
  /** Registers where to go if the form is saved while the guard asks; returns a function that removes it. */
  whileAsking: (proceed: () => void) => () => void;
}

interface Leave {
  exit: Exit;
  /** Leaves the page after a success. If the user has gone elsewhere while the form was being saved, they stay there. */
  leave: (go: Go) => Promise<void>;
}

/** The way out of a form whose page is left once it is saved. */
export function useLeave(): Leave {
  const isSaved = useRef(false);
  const asked = useRef<() => void>(undefined);
  const whileHere = useWhileHere();

  const exit = useMemo(
    (): Exit => ({
      isSaved: () => isSaved.current,
      whileAsking(proceed) {
        asked.current = proceed;
        return () => {
          asked.current = undefined;
        };
      },
    }),
    [],
  );
  const leave = useCallback(
    async (go: Go) => {
      isSaved.current = true;
      if (asked.current) asked.current();
      else await whileHere(go);
    },
    [whileHere],
  );
  return { exit, leave };
}
