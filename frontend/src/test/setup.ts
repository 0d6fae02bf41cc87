import '@testing-library/jest-dom/vitest';
import { cleanup, configure, getConfig, prettyDOM } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { loadPageTexts, startI18n } from '@/i18n/i18n';
import { toast } from '@/ui/toast';
import { speedUpComputedStyle } from './computed-style';
import { rememberWindow, resetDocument, restoreWindow } from './shared-window';

// A page is fetched like any other module; a busy machine takes its time for that.
configure({
  asyncUtilTimeout: 15_000,
  // A wait that fails adds the markup to its message; printing it for each of its attempts takes longer than
  // the attempts.
  getElementError(message, container) {
    const { _disableExpensiveErrorDiagnostics: isAttempt } = getConfig() as {
      _disableExpensiveErrorDiagnostics?: boolean;
    };
    const error = new Error([message, isAttempt ? '' : prettyDOM(container)].filter(Boolean).join('\n\n'));
    error.name = 'TestingLibraryElementError';
    return error;
  },
});

beforeAll(async () => {
  startI18n();
  await loadPageTexts();
  // Layout is not part of jsdom; these say 'nothing moves, nothing is dark, nothing resizes'.
  window.matchMedia = (query: string) =>
    ({
      matches: false,
      media: query,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }) as unknown as MediaQueryList;
  window.ResizeObserver = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  // Nothing to subscribe to; tests that need it bring a socket of their own.
  Reflect.deleteProperty(window, 'WebSocket');
  Reflect.deleteProperty(globalThis, 'WebSocket');
  Element.prototype.scrollIntoView = () => undefined;
  window.scrollTo = () => undefined;
  speedUpComputedStyle(window);
  rememberWindow();
});

afterEach(() => {
  cleanup();
  toast.remove();
  vi.useRealTimers();
  resetDocument();
});

afterAll(() => {
  vi.unstubAllGlobals();
  restoreWindow();
});
