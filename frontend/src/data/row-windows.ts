/** Number of rows per request. */
export const WINDOW = 100;
/** Number of windows that are kept, those nearest to the rows in view. */
const KEPT = 40;
/** Windows are requested after this pause, which starts again while the list scrolls from window to window. */
const PAUSE_MS = 100;
/** Number of requests at a time for rows that are not all in view. The server limits those of one account. */
const AT_ONCE = 4;

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
  /**
   * Loads rows, for example those that somebody pastes over. Returns all of them, or rejects if one cannot be loaded or
   * if the list is loaded again meanwhile, when rows may have moved.
   */
  rowsBetween: (from: number, to: number) => Promise<Row[]>;
  /** Loads the rows in view again and forgets all others. */
  reload: () => void;
}

/** A long list whose rows are loaded in windows as they come into view. */
export function createRowWindows<Row>(
  load: (offset: number, limit: number) => Promise<LoadedRows<Row>>,
): RowWindows<Row> {
  const listeners = new Set<() => void>();
  const windows = new Map<number, readonly Row[]>();
  const running = new Map<number, Promise<readonly Row[]>>();
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

  async function request(window: number): Promise<readonly Row[]> {
    const asked = generation;
    try {
      const loaded = await load(window * WINDOW, WINDOW);
      if (asked === generation) {
        windows.set(window, loaded.rows);
        stale.delete(window);
        total = loaded.total;
        error = undefined;
        forgetDistant();
        changed();
      }
      return loaded.rows;
    } catch (failure) {
      if (asked === generation) {
        error = failure;
        changed();
      }
      throw failure;
    }
  }

  function rowsOf(window: number): Promise<readonly Row[]> {
    const known = running.get(window);
    if (known) return known;
    const loaded = windows.get(window);
    if (loaded && !stale.has(window)) return Promise.resolve(loaded);
    const own = request(window).finally(() => {
      if (running.get(window) === own) running.delete(window);
    });
    running.set(window, own);
    return own;
  }

  function loadView() {
    timer = undefined;
    const [from, to] = inView;
    for (let window = from; window <= to; window += 1) {
      // The failure is shown by `error`.
      rowsOf(window).catch(() => undefined);
    }
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
      const asked = generation;
      const first = Math.floor(from / WINDOW);
      const last = Math.floor(to / WINDOW);
      // Taken from the answers, because the cache may have forgotten the first windows when the last ones arrive.
      const parts: (readonly Row[])[] = [];
      for (let window = first; window <= last; window += AT_ONCE) {
        const count = Math.min(AT_ONCE, last - window + 1);
        const batch = await Promise.all(Array.from({ length: count }, (_, index) => rowsOf(window + index)));
        if (asked !== generation) throw new Error('The list was loaded again');
        parts.push(...batch);
      }
      return Array.from({ length: to - from + 1 }, (_, index) => {
        const row = parts[Math.floor((from + index) / WINDOW) - first]?.[(from + index) % WINDOW];
        if (row === undefined) throw new Error('The list has fewer rows');
        return row;
      });
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
