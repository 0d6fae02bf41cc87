/**
 * Reads a value from local storage and checks it with `parse`, which throws if the value is invalid. Returns the
 * fallback if the value is missing or invalid, or if storage is unavailable.
 */
export function readStored<T>(key: string, parse: (value: unknown) => T, fallback: T): T {
  try {
    const text = localStorage.getItem(key);
    return text === null ? fallback : parse(JSON.parse(text));
  } catch {
    return fallback;
  }
}

/** Writes a value to local storage as JSON. Returns false if storage is full or blocked. */
export function writeStored(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** Removes a value from local storage. */
export function dropStored(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // If storage is blocked, nothing was stored.
  }
}
