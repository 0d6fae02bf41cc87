// Tests public/startup.js, which runs without the application.
import { readFileSync } from 'node:fs';
import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const code = readFileSync('public/startup.js', 'utf8');
const reload = vi.fn<() => void>();
const updating = 'Waybill is being updated. This page will reload automatically.';
const ATTEMPTS = [2, 4, 8, 16, 32, 32, 32];

describe('the start of the application', () => {
  let watching = new AbortController();

  /** Loads the page: its markup, and the script in it. */
  function load(storage: unknown = sessionStorage) {
    watching.abort();
    watching = new AbortController();
    const { signal } = watching;
    document.head.innerHTML = '';
    document.body.innerHTML = '<div id="root"></div>';
    const listen = (type: string, listener: EventListener, capture = false) =>
      window.addEventListener(type, listener, { capture, signal });
    // jsdom can't reload.
    const run = new Function('addEventListener', 'location', 'sessionStorage', code);
    run(listen, { origin: 'http://localhost:3000', reload }, storage);
  }

  function fail(markup: string) {
    document.body.insertAdjacentHTML('beforeend', markup);
    document.body.lastElementChild?.dispatchEvent(new Event('error'));
  }
  const failEntry = () => fail('<script type="module" src="http://localhost:3000/assets/index-1.js"></script>');

  beforeEach(() => {
    reload.mockClear();
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
    watching.abort();
    document.body.innerHTML = '';
  });

  it('is tried again after growing delays while its files are missing, and then says what to do', () => {
    for (const seconds of ATTEMPTS) {
      load();
      failEntry();
      expect(screen.getByRole('status')).toHaveTextContent(updating);
      vi.advanceTimersByTime(seconds * 1000 - 1);
      expect(reload).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(reload).toHaveBeenCalledOnce();
      reload.mockClear();
    }
    load();
    failEntry();
    expect(screen.getByRole('status')).toHaveTextContent("Waybill couldn't be loaded. Check your connection");
    vi.runAllTimers();
    expect(reload).not.toHaveBeenCalled();
    // The user reloads the page.
    load();
    failEntry();
    expect(screen.getByRole('status')).toHaveTextContent(updating);
  });

  it('is tried again once for several missing files, of which a style sheet is one', () => {
    load();
    fail('<link rel="stylesheet" href="http://localhost:3000/assets/index-1.css">');
    failEntry();
    expect(screen.getAllByRole('status')).toHaveLength(1);
    vi.runAllTimers();
    expect(reload).toHaveBeenCalledOnce();
    expect(document.getElementById('root')).not.toBeVisible();
  });

  it.each([
    ['a script of an extension', '<script src="https://example.com/assets/a.js"></script>'],
    ['a font', '<link rel="preload" as="font" href="http://localhost:3000/assets/inter.woff2">'],
    ['a file that is not of the build', '<script src="http://localhost:3000/theme.js"></script>'],
  ])('goes on without %s', (_, markup) => {
    load();
    fail(markup);
    vi.runAllTimers();
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
    expect(reload).not.toHaveBeenCalled();
  });

  it('leaves missing files to the application once that runs, and counts from the beginning', () => {
    load();
    failEntry();
    vi.runAllTimers();
    load();
    window.dispatchEvent(new Event('waybill:started'));
    expect(sessionStorage).toHaveLength(0);
  });

  it('keeps counting if the application runs without its style sheet', () => {
    load();
    fail('<link rel="stylesheet" href="http://localhost:3000/assets/index-1.css">');
    window.dispatchEvent(new Event('waybill:started'));
    expect(sessionStorage).toHaveLength(1);
  });

  it('is not tried again where attempts cannot be counted', () => {
    const blocked = {
      getItem: () => {
        throw new Error('blocked');
      },
    };
    load(blocked);
    failEntry();
    expect(screen.getByRole('status')).toHaveTextContent("Waybill couldn't be loaded.");
    vi.runAllTimers();
    expect(reload).not.toHaveBeenCalled();
  });
});
