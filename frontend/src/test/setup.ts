import '@testing-library/jest-dom/vitest';
import { cleanup, configure, getConfig, prettyDOM } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { loadPageTexts, startI18n } from '@/i18n/i18n';
import { toast } from '@/ui/toast';
import { speedUpComputedStyle } from './computed-style';
import { takeProblems } from './schema';
import { rememberWindow, resetDocument, restoreWindow } from './shared-window';

// Loading a lazy page can take long on a busy machine.
configure({
  asyncUtilTimeout: 15_000,
  // Keep the document out of the message of a failed attempt: `waitFor` would format it for each retry, which takes
  // longer than the retries.
  getElementError(message, container) {
    const { _disableExpensiveErrorDiagnostics: isAttempt } = getConfig() as {
      _disableExpensiveErrorDiagnostics?: boolean;
    };
    const error = new Error([message, isAttempt ? '' : prettyDOM(container)].filter(Boolean).join('\n\n'));
    error.name = 'TestingLibraryElementError';
    return error;
  },
});

/** React's complaints about keys that occur twice: their elements would stay on the screen or be shown twice. */
let repeatedKeys: string[] = [];

beforeAll(async () => {
  const report = globalThis.console;
  globalThis.console = {
    ...report,
    error: (...values: unknown[]) => {
      if (String(values[0]).includes('two children with the same key')) repeatedKeys.push(`repeated key ${String(values[1])}`);
      report.error(...values);
    },
  };
  startI18n();
  await loadPageTexts();
  // jsdom has no layout, so report no reduced motion, no dark theme and no resizing.
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
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  // Without WebSocket there are no subscriptions. Tests that need them install a fake.
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
  const problems = [...takeProblems(), ...repeatedKeys];
  repeatedKeys = [];
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

afterAll(() => {
  vi.unstubAllGlobals();
  restoreWindow();
});
