interface Place {
  pathname: string;
  search: string;
}

const PARAMETER = /[?&]redirectTo=([^&]*)/;

/**
 * Returns the address that a refused user is sent to, with the way back: the path as it is, its search encoded. A
 * question mark or an ampersand inside an id is written so that neither is taken for the end of the path.
 */
export function refusalTarget(path: string, from: Place): string {
  const pathname = from.pathname.replace(/%((?:25)*3F)/gi, '%25$1').replaceAll('&', '%26');
  return `${path}?redirectTo=${pathname}${encodeURIComponent(from.search)}`;
}

/**
 * Reads the way back from the search of an address. `URLSearchParams` would decode the path, and an id with an
 * encoded slash would become two segments.
 */
export function readRedirectTo(search: string): string | undefined {
  const raw = PARAMETER.exec(search)?.[1] ?? '';
  try {
    // Encoded as a whole by the builder of named routes.
    if (/^%2F/i.test(raw)) return safeRedirectTo(decodeURIComponent(raw));
    const end = raw.search(/%3F/i);
    const pathname = end < 0 ? raw : raw.slice(0, end);
    const rest = end < 0 ? '' : decodeURIComponent(raw.slice(end));
    return safeRedirectTo(pathname.replace(/%25((?:25)*3F)/gi, '%$1') + rest);
  } catch {
    return undefined;
  }
}

/**
 * The way back, if it stays on this site. One leading slash only: browsers read two as a host, and a
 * backslash or a control character as a slash or as nothing.
 */
export function safeRedirectTo(value: string | null | undefined): string | undefined {
  if (!value?.startsWith('/') || value.startsWith('//') || /^\/%5c/i.test(value)) return undefined;
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\\\u0000-\u001f\u007f]/.test(value)) return undefined;
  return value;
}
