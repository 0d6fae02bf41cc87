/**
 * Reads local storage, which is untrusted and may be unavailable: `parse` throws on invalid values, and any failure
 * returns the fallback.
 */
export function readStored<T>(key: string, parse: (value: unknown) => T, fallback: T): T {
  try {
    const text = localStorage.getItem(key);
    return text === null ? fallback : parse(JSON.parse(text));
  } catch {
    return fallback;
  }
}

export function writeStored(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // If storage is full or blocked, only a preference is lost.
  }
}
