// Writes plain values as readable YAML: block style, two spaces, and lists indented like their key.

const PLAIN = /^(?:[A-Za-z/_][\w ./:()%{}=,-]*|\d+(?:m|[KMG]i))$/;
const MEANS_MORE = /^(?:true|false|yes|no|on|off|null|~|y|n)$|: |:$| #| $/i;

function scalar(value) {
  if (typeof value !== 'string') return String(value);
  return PLAIN.test(value) && !MEANS_MORE.test(value) ? value : JSON.stringify(value);
}

const isEmpty = (value) => (Array.isArray(value) ? value : Object.keys(value)).length === 0;
const isBlock = (value) => typeof value === 'object' && value !== null && !isEmpty(value);

function lines(value, indent) {
  const pad = ' '.repeat(indent);
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      if (!isBlock(item)) return [`${pad}- ${inline(item)}`];
      const [first, ...rest] = lines(item, indent + 2);
      return [`${pad}- ${first.trimStart()}`, ...rest];
    });
  }
  return Object.entries(value).filter(([, item]) => item !== undefined).flatMap(([key, item]) => {
    if (typeof item === 'string' && item.includes('\n')) {
      return [`${pad}${scalar(key)}: |`, ...item.trimEnd().split('\n').map((line) => (line ? `${pad}  ${line}` : ''))];
    }
    if (!isBlock(item)) return [`${pad}${scalar(key)}: ${inline(item)}`];
    return [`${pad}${scalar(key)}:`, ...lines(item, indent + 2)];
  });
}

function inline(value) {
  if (typeof value !== 'object' || value === null) return scalar(value);
  return Array.isArray(value) ? '[]' : '{}';
}

/** Returns a value as one document. */
export function yaml(value) {
  return `${lines(value, 0).join('\n')}\n`;
}

/** Returns values as several documents in one file. */
export function documents(values) {
  return values.map(yaml).join('---\n');
}
