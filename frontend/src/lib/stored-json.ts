/**
 * Local storage is untrusted and may be missing: reading goes through a parser that throws on a wrong
 * shape, and every failure ends in the fallback.
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
    // A full or forbidden storage only costs the memory of a preference.
  }
}
