export type ParamValue = string | number | boolean;
export type Params = Record<string, ParamValue>;
export type BuildArgs = Record<string, ParamValue | null | undefined>;
export type RouteParam = [name: string, type: string, raw: string];
export type PathMatch = { match: false } | { match: true; params?: Params };

const PATH_LIMIT = 2000;
const PARAM = /\{([^{}]+)\}/g;

interface ParamType {
  pattern: string;
  /** Returns undefined if the text is not a valid value of the type. */
  parse: (text: string) => ParamValue | undefined;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Text that `escapeDots` returns for one or two dots, or for a value that looks like it. */
const ESCAPED_DOTS = /^(?:%(?:25)*2E){1,2}$/i;

/**
 * Escapes a value of one or two dots. Browsers resolve segments of dots, even encoded ones, so these are encoded twice. A
 * value that looks like an escaped one is escaped as well.
 */
function escapeDots(text: string): string {
  const escaped = text.replaceAll('%', '%25').replaceAll('.', '%2E');
  return ESCAPED_DOTS.test(escaped) ? escaped : text;
}

function decodeString(text: string): string | undefined {
  const value = decode(text);
  return value !== undefined && ESCAPED_DOTS.test(value) ? decode(value) : value;
}

const stringType: ParamType = { pattern: '[^/]+', parse: decodeString };

const paramTypes: Record<string, ParamType> = {
  String: stringType,
  Int: { pattern: '\\d+', parse: Number },
  Float: { pattern: '[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?', parse: Number },
  Boolean: { pattern: 'true|false', parse: (text) => text === 'true' },
  Glob: { pattern: '.*', parse: decode },
};

function escapeLiteral(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Returns the parameters of a path in order, each with its type and its text in the path. */
export function paramsForRoute(path: string): RouteParam[] {
  return Array.from(path.matchAll(PARAM), ([raw, inside = '']) => {
    if (inside.endsWith('...')) return [inside.slice(0, -3), 'Glob', raw];
    const [name = '', type = 'String'] = inside.split(':');
    return [name, type, raw];
  });
}

/** Throws if a declared path is invalid; `name` is the route's name. */
export function validatePath(path: string, name: string): void {
  if (!path.startsWith('/')) {
    throw new Error(`Route path for ${name} does not begin with a slash: "${path}"`);
  }
  if (path.includes(' ')) {
    throw new Error(`Route path for ${name} contains spaces: "${path}"`);
  }
  if (/\{(?:ref|key)(?:\}|:|\.\.\.)/.test(path)) {
    throw new Error(
      [
        `Route for ${name} contains ref or key as a path parameter: "${path}"`,
        "`ref` and `key` shouldn't be used as path parameters because they're special React props.",
        'You can fix this by renaming the path parameter.',
      ].join('\n'),
    );
  }
  if (path.length > PATH_LIMIT) {
    throw new Error(
      `Route path for ${name} is too long to process at ${path.length} characters, limit is ${PATH_LIMIT} characters.`,
    );
  }
  const names = paramsForRoute(path).map(([param]) => param);
  if (new Set(names).size !== names.length) {
    throw new Error(`Route path contains duplicate parameter: "${path}"`);
  }
}

interface Matcher {
  expression: RegExp;
  params: [name: string, type: ParamType][];
}

const matchers = new Map<string, Matcher>();

function matcherOf(path: string): Matcher {
  const known = matchers.get(path);
  if (known) return known;
  const params: Matcher['params'] = [];
  let source = '';
  let end = 0;
  for (const [name, type, raw] of paramsForRoute(path)) {
    const start = path.indexOf(raw, end);
    const found = paramTypes[type] ?? stringType;
    source += `${escapeLiteral(path.slice(end, start))}(${found.pattern})`;
    params.push([name, found]);
    end = start + raw.length;
  }
  source += escapeLiteral(path.slice(end));
  const matcher = { expression: new RegExp(`^${source}$`), params };
  matchers.set(path, matcher);
  return matcher;
}

/** Matches a URL path against a declared path and parses its parameters. */
export function matchPath(path: string, pathname: string): PathMatch {
  const { expression, params } = matcherOf(path);
  const groups = expression.exec(pathname);
  if (!groups) return { match: false };
  if (params.length === 0) return { match: true };
  const values: [string, ParamValue][] = [];
  for (const [index, [name, type]] of params.entries()) {
    const value = type.parse(groups[index + 1] ?? '');
    if (value === undefined) return { match: false };
    values.push([name, value]);
  }
  return { match: true, params: Object.fromEntries(values) };
}

function encodeParam(type: string, value: ParamValue): string {
  const text = String(value);
  return type === 'Glob'
    ? text.split('/').map(encodeURIComponent).join('/')
    : encodeURIComponent(escapeDots(text));
}

/** Builds the URL of a route: path parameters are inserted, others become the query string. */
export function replaceParams(path: string, args: BuildArgs = {}): string {
  const params = paramsForRoute(path);
  let result = '';
  let end = 0;
  for (const [name, type, raw] of params) {
    const value = args[name];
    if (value === undefined || value === null) {
      throw new Error(
        `Missing parameter '${name}' for route '${path}' when generating a navigation URL.`,
      );
    }
    const start = path.indexOf(raw, end);
    result += path.slice(end, start) + encodeParam(type, value);
    end = start + raw.length;
  }
  result += path.slice(end);
  const inPath = new Set(params.map(([name]) => name));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) {
    if (inPath.has(name) || value === undefined || value === null) continue;
    query.append(name, String(value));
  }
  const search = query.toString();
  return search ? `${result}?${search}` : result;
}

/** Parses query parameters; the first of repeated ones wins. */
export function parseSearch(search: string): Record<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (!found.has(name)) found.set(name, value);
  }
  return Object.fromEntries(found);
}

export type TrailingSlash = 'never' | 'always' | 'preserve';

export function withTrailingSlash(pathname: string, rule: TrailingSlash): string {
  if (pathname === '/' || rule === 'preserve') return pathname;
  if (rule === 'never') return pathname.replace(/\/+$/, '') || '/';
  return pathname.endsWith('/') ? pathname : `${pathname}/`;
}

/** Converts a path to react-router's pattern syntax; its parameters must fill whole segments. */
export function toRouterPattern(path: string): string {
  const segments = path.split('/');
  return segments
    .map((segment, index) => {
      const params = paramsForRoute(segment);
      const [only] = params;
      if (!only) return segment;
      const [name, type, raw] = only;
      const last = index === segments.length - 1;
      if (params.length > 1 || raw !== segment || (type === 'Glob' && !last)) {
        throw new Error(`Route path "${path}" has a parameter that does not fill a whole segment`);
      }
      return type === 'Glob' ? '*' : `:${name}`;
    })
    .join('/');
}
