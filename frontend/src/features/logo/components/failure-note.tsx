import { useEffect, useRef } from 'react';
import { Note } from '@/ui/note';
import type { LogoFailure } from '../use-save-logo';

/** Which step failed, and why if that is known; it stays when the toast is gone. */
export function FailureNote({ failure }: { failure: LogoFailure }) {
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    box.current?.focus();
  }, [failure]);

  return (
    <Note ref={box} tone="bad" role="alert" title={failure.message}>
      {failure.detail && <p>{failure.detail}</p>}
    </Note>
  );
}
