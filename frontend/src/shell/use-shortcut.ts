import { useEffectEvent, useLayoutEffect } from 'react';
import { hasSingleKeys } from '@/lib/single-keys';
import { isCovered, isTyping } from './page-keys';

interface Shortcut {
  key: string;
  /** Ctrl on most keyboards, Command on a Mac. */
  mod?: boolean;
}

export function useShortcut({ key, mod = false }: Shortcut, run: () => void): void {
  const onPress = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey || event.key.toLowerCase() !== key) return;
    if ((event.ctrlKey || event.metaKey) !== mod) return;
    // A plain key must remain available for typing, and must not act behind an open dialog.
    if (!mod && (isTyping(event.target) || isCovered() || !hasSingleKeys())) return;
    event.preventDefault();
    run();
  });

  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => onPress(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}
