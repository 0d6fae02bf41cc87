import { useEffect, useState } from 'react';
import { findNewerBuild, reloadPage } from '@/lib/newer-build';

/**
 * In the place of a page whose code did not arrive. After an update the reload brings it; otherwise it
 * fails like any other page. Nothing is lost by that: nobody has typed anything here yet.
 */
export function MissingPage({ cause }: { cause: unknown }) {
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    let isOver = false;
    void findNewerBuild().then((isNewer) => {
      if (isOver) return;
      if (isNewer) reloadPage();
      else setFailed(true);
    });
    return () => {
      isOver = true;
    };
  }, []);
  if (isFailed) throw cause;
  return null;
}
