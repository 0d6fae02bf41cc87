import { useEffect, useEffectEvent } from 'react';
import { hasSingleKeys } from '@/lib/single-keys';

interface Shortcut {
  key: string;
  /** Ctrl on most keyboards, Command on a Mac. */
  mod?: boolean;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function isCovered(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
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

  useEffect(() => {
    const listener = (event: KeyboardEvent) => onPress(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}
