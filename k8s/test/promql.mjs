// The part of Prometheus that the alerts and dashboards of deploy/ use: reads expressions, and evaluates them over
// samples scraped from /metrics. It supports instant and range selectors, rate, increase, max_over_time,
// histogram_quantile, absent, aggregations with "by", arithmetic, comparisons, and, or, unless. Anything else is an
// error, never a guess.

const AGGREGATIONS = ['sum', 'min', 'max', 'count'];
/** Functions that only dashboards use. */
const SHOWN = ['topk'];
const FUNCTIONS = ['rate', 'increase', 'max_over_time', 'histogram_quantile', 'absent'];
const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 };
/** A sample older than this many seconds no longer counts. */
const STALE = 300;

export const seconds = (text) => Number(text.slice(0, -1)) * UNITS[text.at(-1)];

// --- reading ---

function tokens(text) {
  const pattern = /\s+|#[^\n]*|(\[[^\]]+\])|("(?:[^"\\]|\\.)*")|([A-Za-z_:][\w:]*)|(\d+(?:\.\d+)?)|(=~|!~|!=|==|>=|<=|[-+*/><=(){},])/gy;
  const found = [];
  let at = 0;
  while (at < text.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) throw new Error(`cannot read ${JSON.stringify(text.slice(at, at + 20))}`);
    at = pattern.lastIndex;
    const token = match.slice(1).find((it) => it !== undefined);
    if (token !== undefined) found.push(token);
  }
  return found;
}

const LEVELS = [['or'], ['and', 'unless'], ['==', '!=', '>', '<', '>=', '<='], ['+', '-'], ['*', '/']];

/** Returns the expression as a tree. */
export function read(text) {
  const left = tokens(text);
  const next = () => left[0];
  const take = (expected) => {
    const token = left.shift();
    if (expected !== undefined && token !== expected) throw new Error(`${expected} is missing before ${token} in ${text}`);
    return token;
  };
  const list = (end, item) => {
    const found = [];
    while (next() !== end) {
      found.push(item());
      if (next() === ',') take();
    }
    take(end);
    return found;
  };
  const level = (at) => {
    if (at === LEVELS.length) return factor();
    let tree = level(at + 1);
    while (LEVELS[at].includes(next())) {
      const operator = take();
      tree = { operator, a: tree, b: level(at + 1) };
    }
    return tree;
  };
  const by = () => {
    take('by');
    take('(');
    return list(')', take);
  };
  function factor() {
    const token = take();
    if (token === '(') {
      const inner = level(0);
      take(')');
      return inner;
    }
    if (/^\d/.test(token)) return { number: Number(token) };
    if (AGGREGATIONS.includes(token)) {
      const before = next() === 'by' ? by() : undefined;
      take('(');
      const of = level(0);
      take(')');
      return { aggregate: token, of, by: before ?? (next() === 'by' ? by() : []) };
    }
    if ([...FUNCTIONS, ...SHOWN].includes(token)) {
      take('(');
      return { call: token, of: list(')', () => level(0)) };
    }
    if (!/^[A-Za-z_:]/.test(token) || next() === '(') throw new Error(`${token} is not known in ${text}`);
    return selector(token);
  }
  function selector(name) {
    const matchers = [];
    if (next() === '{') {
      take();
      matchers.push(...list('}', () => ({ label: take(), how: take(), value: JSON.parse(take()) })));
    }
    const range = next()?.startsWith('[') ? take().slice(1, -1) : undefined;
    return { name, matchers, range };
  }
  const tree = level(0);
  if (left.length > 0) throw new Error(`${left.join(' ')} is left over in ${text}`);
  return tree;
}

/** Returns every selector of an expression, and the labels by which it groups. */
export function selectors(tree) {
  if (!tree || typeof tree !== 'object') return [];
  if (tree.name) return [{ name: tree.name, labels: tree.matchers.map((it) => it.label) }];
  const own = tree.by ? [{ labels: tree.by }] : [];
  return [...own, ...[tree.of, tree.a, tree.b].flat().flatMap(selectors)];
}

// --- what was scraped ---

/** Returns the samples in a text from /metrics. */
export function samples(text) {
  return text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => {
    const [, name, labels, value] = line.match(/^([\w:]+)(?:\{(.*)\})? (\S+)$/) ?? [];
    if (!name) throw new Error(`not a sample: ${line}`);
    const pairs = [...(labels ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    return { name, labels: Object.fromEntries(pairs), value: Number(value.replace('+Inf', 'Infinity')) };
  });
}

const key = (labels) => JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function passes({ label, how, value }, labels) {
  const text = labels[label] ?? '';
  const same = how.endsWith('~') ? new RegExp(`^(?:${value})$`).test(text) : text === value;
  return how.startsWith('!') ? !same : same;
}

// --- evaluating ---

/**
 * Returns the value of a tree at a time: a number, or a list of {labels, value}. `history` is [{ at, samples
 * }], oldest first.
 */
export function evaluate(tree, history, at) {
  const of = (inner) => evaluate(inner, history, at);
  if ('number' in tree) return tree.number;
  if (tree.name) {
    if (tree.range) throw new Error(`${tree.name}[${tree.range}] stands alone`);
    const last = history.findLast((scrape) => scrape.at <= at && scrape.at > at - STALE);
    return matching(last?.samples ?? [], tree).map(({ labels, value }) => ({ labels, value }));
  }
  if (tree.call) return call(tree, history, at);
  if (tree.aggregate) {
    const groups = new Map();
    for (const { labels, value } of of(tree.of)) {
      const group = Object.fromEntries(tree.by.filter((name) => name in labels).map((name) => [name, labels[name]]));
      groups.set(key(group), { labels: group, values: [...(groups.get(key(group))?.values ?? []), value] });
    }
    const fold = { sum: (all) => all.reduce((a, b) => a + b, 0), min: (all) => Math.min(...all), max: (all) => Math.max(...all), count: (all) => all.length };
    return [...groups.values()].map(({ labels, values }) => ({ labels, value: fold[tree.aggregate](values) }));
  }
  return combine(tree.operator, of(tree.a), of(tree.b));
}

const matching = (all, { name, matchers }) => all.filter((it) => it.name === name && matchers.every((matcher) => passes(matcher, it.labels)));

function call({ call: name, of }, history, at) {
  if (SHOWN.includes(name)) throw new Error(`${name} is for dashboards`);
  if (name === 'absent') return evaluate(of[0], history, at).length === 0 ? [{ labels: {}, value: 1 }] : [];
  if (name === 'histogram_quantile') return quantile(of[0].number, evaluate(of[1], history, at));
  const window = seconds(of[0].range);
  const series = new Map();
  for (const scrape of history.filter((it) => it.at <= at && it.at > at - window)) {
    for (const sample of matching(scrape.samples, of[0])) {
      const id = key(sample.labels);
      series.set(id, [...(series.get(id) ?? []), { at: scrape.at, ...sample }]);
    }
  }
  if (name === 'max_over_time') {
    return [...series.values()].map((points) => ({ labels: points[0].labels, value: Math.max(...points.map((point) => point.value)) }));
  }
  return [...series.values()].filter((points) => points.length > 1).map((points) => {
    let grown = 0;
    // A counter that falls has begun again at zero.
    points.slice(1).forEach((point, before) => { grown += point.value < points[before].value ? point.value : point.value - points[before].value; });
    const span = points.at(-1).at - points[0].at;
    const all = (grown / span) * window;
    return { labels: points[0].labels, value: name === 'rate' ? all / window : all };
  });
}

function quantile(q, buckets) {
  const groups = new Map();
  for (const { labels: { le, ...labels }, value } of buckets) {
    const group = groups.get(key(labels)) ?? { labels, buckets: [] };
    group.buckets.push({ le: Number(le.replace('+Inf', 'Infinity')), value });
    groups.set(key(labels), group);
  }
  return [...groups.values()].map(({ labels, buckets: found }) => {
    const sorted = found.toSorted((a, b) => a.le - b.le);
    const rank = q * sorted.at(-1).value;
    const at = sorted.findIndex((it) => it.value >= rank);
    const [from, to] = [sorted[at - 1] ?? { le: 0, value: 0 }, sorted[at]];
    if (sorted.at(-1).value === 0) return { labels, value: NaN };
    if (to.le === Infinity) return { labels, value: from.le };
    return { labels, value: from.le + (to.le - from.le) * ((rank - from.value) / (to.value - from.value)) };
  });
}

const ARITHMETIC = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b };
const COMPARE = { '>': (a, b) => a > b, '<': (a, b) => a < b, '>=': (a, b) => a >= b, '<=': (a, b) => a <= b, '==': (a, b) => a === b, '!=': (a, b) => a !== b };

function combine(operator, a, b) {
  const [isA, isB] = [Array.isArray(a), Array.isArray(b)];
  if (['and', 'or', 'unless'].includes(operator)) {
    const [ofA, ofB] = [new Set(a.map((it) => key(it.labels))), new Set(b.map((it) => key(it.labels)))];
    if (operator === 'or') return [...a, ...b.filter((it) => !ofA.has(key(it.labels)))];
    return a.filter((it) => ofB.has(key(it.labels)) === (operator === 'and'));
  }
  const two = (x, y, labels) => {
    if (operator in ARITHMETIC) return [{ labels, value: ARITHMETIC[operator](x, y) }];
    return COMPARE[operator](x, y) ? [{ labels, value: x }] : [];
  };
  if (!isA && !isB) return two(a, b, {})[0]?.value;
  if (!isB) return a.flatMap((it) => two(it.value, b, it.labels));
  if (!isA) return b.flatMap((it) => two(a, it.value, it.labels));
  const others = new Map(b.map((it) => [key(it.labels), it.value]));
  return a.filter((it) => others.has(key(it.labels))).flatMap((it) => two(it.value, others.get(key(it.labels)), it.labels));
}

/**
 * Whether an alert fires at some time: its expression is true for as long as the rule requires. Prometheus
 * evaluates it every `step`.
 */
export function fires(rule, history, step) {
  const tree = read(rule.expr);
  const wait = rule.for ? seconds(rule.for) : 0;
  const since = new Map();
  for (let at = history[0].at; at <= history.at(-1).at; at += step) {
    const now = new Set();
    for (const { labels } of evaluate(tree, history, at)) {
      const id = key(labels);
      now.add(id);
      if (!since.has(id)) since.set(id, at);
      if (at - since.get(id) >= wait) return labels;
    }
    for (const id of since.keys()) if (!now.has(id)) since.delete(id);
  }
  return null;
}
