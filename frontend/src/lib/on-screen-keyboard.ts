/** Whether a focused input opens a keyboard on the screen, which covers half of a phone. */
export function hasOnScreenKeyboard(): boolean {
  return window.matchMedia?.('(pointer: coarse)').matches ?? false;
}

/** Closes the on-screen keyboard of an input whose search is done, because it would cover what was found. */
export function closeKeyboard(input: HTMLElement | null): void {
  if (hasOnScreenKeyboard()) input?.blur();
}
