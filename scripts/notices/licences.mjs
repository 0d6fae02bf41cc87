// The licenses that are accepted, as in deny.toml, which cargo-deny reads as well.
import { read } from '../sources.mjs';

const strings = (text) => [...text.matchAll(/"([^"]+)"/g)].map((match) => match[1]);

/** Returns the accepted licenses, and by name of a part the licenses that are accepted for that part only. */
export function rules() {
  const section = read('deny.toml').match(/^\[licenses\]\n([\s\S]*?)^\[/m)?.[1] ?? '';
  const all = section.match(/^allow = \[\n([\s\S]*?)^\]/m)?.[1];
  if (!all) throw new Error('deny.toml has no list of licences');
  const exceptions = [...section.matchAll(/\{ allow = \[([^\]]*)\], crate = "([^"]+)" \}/g)];
  // These parts are not crates. The license of the fonts requires what the notices contain.
  const only = new Map(Object.entries({
    Inter: ['OFL-1.1'], '@fontsource-variable/inter': ['OFL-1.1'], SQLite: ['blessing'], 'Natural Earth': ['LicenseRef-public-domain'],
  }));
  for (const [, licences, crate] of exceptions) only.set(crate, strings(licences));
  return { all: strings(all), only };
}

/** Parses an SPDX expression to a tree of `all` and `any`. A slash is the old notation for OR. */
function parse(expression) {
  const left = expression.replaceAll('/', ' OR ').match(/[()]|[^\s()]+/g) ?? [];
  const atom = () => {
    const word = left.shift();
    if (word === '(') {
      const inner = any();
      if (left.shift() !== ')') throw new Error(`a bracket is open in ${expression}`);
      return inner;
    }
    if (!word || /^(?:\)|AND|OR|WITH)$/.test(word)) throw new Error(`cannot read the licence ${expression}`);
    if (left[0] !== 'WITH') return word;
    left.shift();
    return `${word} WITH ${left.shift()}`;
  };
  const list = (operator, item, name) => {
    const parts = [item()];
    while (left[0] === operator) {
      left.shift();
      parts.push(item());
    }
    return parts.length === 1 ? parts[0] : { [name]: parts };
  };
  const all = () => list('AND', atom, 'all');
  const any = () => list('OR', all, 'any');
  const tree = any();
  if (left.length > 0) throw new Error(`cannot read the licence ${expression}`);
  return tree;
}

/** Returns the expression as SPDX writes it today. */
export const spdx = (expression) => expression.replaceAll(/\s*\/\s*/g, ' OR ');

/** Whether a part with this name may be used under its license. */
export function isTaken({ name, licence }, { all, only }) {
  const holds = (tree) => {
    if (tree.all) return tree.all.every(holds);
    if (tree.any) return tree.any.some(holds);
    return all.includes(tree) || (only.get(name) ?? []).includes(tree);
  };
  return holds(parse(licence));
}
