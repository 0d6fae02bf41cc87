interface Place {
  pathname: string;
  search: string;
}

/** Where a refused user goes, with the way back: the path as it is, its search encoded. */
export function refusalTarget(path: string, from: Place): string {
  return `${path}?redirectTo=${from.pathname}${encodeURIComponent(from.search)}`;
}

/**
 * The way back, if it stays on this site. One leading slash only: browsers read two as a host, and a
 * backslash or a control character as a slash or as nothing.
 */
export function safeRedirectTo(value: string | null | undefined): string | undefined {
  if (!value?.startsWith('/') || value.startsWith('//')) return undefined;
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\\\u0000-\u001f\u007f]/.test(value)) return undefined;
  return value;
}
