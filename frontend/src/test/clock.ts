import { act } from '@testing-library/react';
import { vi } from 'vitest';

/** Stops the clock at a time; timers go on. */
export function stopClockAt(time: string): void {
  vi.useFakeTimers({ now: new Date(time), toFake: ['Date'] });
}

/** Returns to the tab at a time, on a clock that was stopped. */
export function returnAt(time: string): void {
  vi.setSystemTime(new Date(time));
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
}

/** Hides the tab, or shows it again. */
export function setHidden(isHidden: boolean): void {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(isHidden);
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
}
