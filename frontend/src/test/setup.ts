import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeAll, vi } from 'vitest';
import { loadPageTexts, startI18n } from '@/i18n/i18n';
import { toast } from '@/ui/toast';

// A page is fetched like any other module; a busy machine takes its time for that.
configure({ asyncUtilTimeout: 15_000 });

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
});

afterEach(() => {
  cleanup();
  toast.remove();
  localStorage.clear();
  vi.useRealTimers();
});
