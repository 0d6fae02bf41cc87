/** Number of rows per request. */
export const WINDOW = 100;
/** Number of windows that are kept, those nearest to the rows in view. */
const KEPT = 40;
/** Windows are requested after this pause, which starts again while the list scrolls from window to window. */
const PAUSE_MS = 100;

export interface LoadedRows<Row> {
  rows: readonly Row[];
  total: number;
}

export interface RowWindows<Row> {
  subscribe: (listener: () => void) => () => void;
  /** Changes whenever rows, total or error change. */
  version: () => number;
  /** The row at a position, if it is loaded. */
  rowAt: (index: number) => Row | undefined;
  total: () => number | undefined;
  error: () => unknown;
  /** Loads the rows in view, unless they are loaded. */
  view: (from: number, to: number) => void;
  /** Loads rows, for example those that somebody pastes over. */
  rowsBetween: (from: number, to: number) => Promise<(Row | undefined)[]>;
  /** Loads the rows in view again and forgets all others. */
  reload: () => void;
}

/** A long list whose rows are loaded in windows as they come into view. */
export function createRowWindows<Row>(
  load: (offset: number, limit: number) => Promise<LoadedRows<Row>>,
): RowWindows<Row> {
  const listeners = new Set<() => void>();
  const windows = new Map<number, readonly Row[]>();
  const running = new Map<number, Promise<void>>();
  // Windows that are shown until their rows are loaded again.
  const stale = new Set<number>();
  let [version, generation] = [0, 0];
  let total: number | undefined;
  let error: unknown;
  let inView: [number, number] = [0, 0];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function changed() {
    version += 1;
    for (const listener of listeners) listener();
  }

  function forgetDistant() {
    const [from, to] = inView;
    const distance = (window: number) => Math.max(from - window, window - to, 0);
    const nearest = [...windows.keys()].toSorted((a, b) => distance(a) - distance(b));
    for (const window of nearest.slice(KEPT)) windows.delete(window);
  }

  async function request(window: number) {
    const asked = generation;
    try {
      const loaded = await load(window * WINDOW, WINDOW);
      if (asked !== generation) return;
      windows.set(window, loaded.rows);
      stale.delete(window);
      total = loaded.total;
      error = undefined;
      forgetDistant();
    } catch (failure) {
      if (asked !== generation) return;
      error = failure;
    }
    changed();
  }

  function ensure(window: number): Promise<void> {
    const known = running.get(window);
    if (known) return known;
    if (windows.has(window) && !stale.has(window)) return Promise.resolve();
    const own = request(window).finally(() => {
      if (running.get(window) === own) running.delete(window);
    });
    running.set(window, own);
    return own;
  }

  function loadView() {
    timer = undefined;
    const [from, to] = inView;
    for (let window = from; window <= to; window += 1) void ensure(window);
  }

  const rowAt = (index: number) => windows.get(Math.floor(index / WINDOW))?.[index % WINDOW];

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
    rowAt,
    total: () => total,
    error: () => error,
    view(from, to) {
      const before = inView;
      inView = [Math.floor(Math.max(0, from) / WINDOW), Math.floor(Math.max(0, to) / WINDOW)];
      const passes = inView[0] > before[1] || inView[1] < before[0];
      if (passes) {
        clearTimeout(timer);
        timer = undefined;
      }
      timer ??= setTimeout(loadView, total === undefined ? 0 : PAUSE_MS);
    },
    async rowsBetween(from, to) {
      const first = Math.floor(from / WINDOW);
      const count = Math.floor(to / WINDOW) - first + 1;
      await Promise.all(Array.from({ length: count }, (_, index) => ensure(first + index)));
      return Array.from({ length: to - from + 1 }, (_, index) => rowAt(from + index));
    },
    reload() {
      generation += 1;
      running.clear();
      const [from, to] = inView;
      for (const window of windows.keys()) {
        if (window < from || window > to) windows.delete(window);
        else stale.add(window);
      }
      error = undefined;
      loadView();
      changed();
    },
  };
}
