interface Place {
  pathname: string;
  search: string;
}

const PARAMETER = /[?&]redirectTo=([^&]*)/;

/**
 * Returns the URL to which users without access are redirected. Its `redirectTo` is the address to return to: the path
 * as it is, and the query encoded. Question marks and ampersands in ids are escaped, so that they do not end the path.
 */
export function refusalTarget(path: string, from: Place): string {
  const pathname = from.pathname.replace(/%((?:25)*3F)/gi, '%25$1').replaceAll('&', '%26');
  return `${path}?redirectTo=${pathname}${encodeURIComponent(from.search)}`;
}

/**
 * Reads the address to return to from a query string. `URLSearchParams` would decode the path, and so turn an ID with
 * an encoded slash into two segments.
 */
export function readRedirectTo(search: string): string | undefined {
  const raw = PARAMETER.exec(search)?.[1] ?? '';
  try {
    // A URL builder of `routes` has encoded the whole value.
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
 * Returns the address if it is on this site. It must start with exactly one slash, because browsers read two as the
 * start of a host name. Backslashes, which browsers treat as slashes, and control characters, which they ignore, are
 * refused.
 */
export function safeRedirectTo(value: string | null | undefined): string | undefined {
  if (!value?.startsWith('/') || value.startsWith('//') || /^\/%5c/i.test(value)) return undefined;
  // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
  if (/[\\\u0000-\u001f\u007f]/.test(value)) return undefined;
  return value;
}
