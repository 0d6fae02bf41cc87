/** Inherited properties with their initial values. */
const inherited: Record<string, string> = { visibility: 'visible', 'pointer-events': 'auto' };
const names = new Map(
  [
    ...Object.keys(inherited),
    'display',
    'opacity',
    'position',
    'overflow',
    'clip',
    'clip-path',
    'content-visibility',
  ].flatMap((name) => [
    [name, name],
    [name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()), name],
  ]),
);
const setsOneOfThem = new RegExp(`\\b(?:${[...new Set(names.values())].join('|')}|all)\\b`);
const refersElsewhere = /\b(?:inherit|unset|revert|revert-layer|initial|all|var)\b/;

/** Windows that were already sped up. Test files that run without isolation share one window. */
const quickWindows = new WeakSet<Window>();

/**
 * Speeds up `getComputedStyle` for the properties that role queries, accessible names, pointer checks and axe read
 * thousands of times per test. After each change, jsdom matches all rules of its style sheet against every element.
 * Here, values are computed once for each combination of what those rules test: tag, type, hidden, open, and inline
 * style. All other cases and properties are left to jsdom.
 */
export function speedUpComputedStyle(window: Window & typeof globalThis): void {
  if (quickWindows.has(window)) return;
  quickWindows.add(window);
  const compute = window.getComputedStyle.bind(window);
  const kinds = new Map<string, Map<string, string>>();
  const styles = new WeakMap<Element, CSSStyleDeclaration>();
  const author = authorRules(window.document);

  /** Returns the value set on the element itself, '' if none, or `undefined` to defer to jsdom. */
  function ownValue(element: Element, property: string): string | undefined {
    const { localName } = element;
    // The rules for these elements depend on the parent, or on state that no attribute reflects.
    if (localName === 'summary' || localName === 'dialog' || element.hasAttribute('popover')) return undefined;
    // jsdom treats values of `hidden` such as "until-found" differently inside and outside the document.
    if (element.getAttribute('hidden')) return undefined;
    const inline = element.getAttribute('style') ?? '';
    if (inline && refersElsewhere.test(inline)) return undefined;
    if (author.concerns(element)) return undefined;
    const kind = [
      localName,
      element.namespaceURI,
      element.getAttribute('type'),
      element.hasAttribute('hidden'),
      element.hasAttribute('open'),
      inline,
    ].join('\n');
    let values = kinds.get(kind);
    if (!values) kinds.set(kind, (values = new Map()));
    let value = values.get(property);
    if (value === undefined) {
      const copy = element.cloneNode(false) as HTMLElement;
      value = compute(copy).getPropertyValue(property);
      if (value === inherited[property]) value = copy.style.getPropertyValue(property);
      values.set(property, value);
    }
    return value;
  }

  function valueOf(element: Element, property: string): string {
    if (!(property in inherited)) return ownValue(element, property) ?? compute(element).getPropertyValue(property);
    for (let current: Element | null = element; current; current = current.parentElement) {
      const value = ownValue(current, property) ?? compute(current).getPropertyValue(property);
      if (value) return value;
    }
    return inherited[property] ?? '';
  }

  function declarationOf(element: Element): CSSStyleDeclaration {
    const getPropertyValue = (name: string) =>
      names.has(name) ? valueOf(element, name) : compute(element).getPropertyValue(name);
    return new Proxy({} as CSSStyleDeclaration, {
      get(_, key) {
        if (key === 'getPropertyValue') return getPropertyValue;
        const property = names.get(String(key));
        if (property) return valueOf(element, property);
        const computed = compute(element);
        const value: unknown = Reflect.get(computed, key);
        return typeof value === 'function' ? (value.bind(computed) as unknown) : value;
      },
      has: (_, key) => key in compute(element),
    });
  }

  window.getComputedStyle = (element, pseudo) => {
    if (pseudo) return compute(element, pseudo);
    let style = styles.get(element);
    if (!style) styles.set(element, (style = declarationOf(element)));
    return style;
  };
}

/**
 * Finds the rules in the document's own style sheets that set one of the properties. The elements that may match are
 * left to jsdom.
 */
function authorRules(document: Document) {
  let known: { sheet: CSSStyleSheet; length: number }[] = [];
  let selectors = '';
  let classes = new Set<string>();
  let needsNoClass = false;

  function read(rules: CSSRuleList): string[] {
    return [...rules].flatMap((rule) => {
      if ('cssRules' in rule && !('selectorText' in rule)) return read(rule.cssRules as CSSRuleList);
      const { selectorText, style } = rule as CSSStyleRule;
      return selectorText && setsOneOfThem.test(style.cssText) ? selectorText.split(',') : [];
    });
  }

  function refresh() {
    const sheets = document.styleSheets;
    const isKnown =
      sheets.length === known.length &&
      known.every(({ sheet, length }, index) => sheets[index] === sheet && sheet.cssRules.length === length);
    if (isKnown) return;
    known = [...sheets].map((sheet) => ({ sheet, length: sheet.cssRules.length }));
    const all = [...sheets].flatMap((sheet) => read(sheet.cssRules));
    selectors = all.join(',');
    const tokens = all.map((selector) => [...selector.matchAll(/\.([\w-]+)/g)].map(([, name = '']) => name));
    needsNoClass = tokens.some((found) => found.length === 0);
    classes = new Set(tokens.flat());
  }

  return {
    concerns(element: Element): boolean {
      refresh();
      if (!selectors) return false;
      const own = element.getAttribute('class');
      const hasOne = own !== null && own.split(/\s+/).some((name) => classes.has(name));
      return (hasOne || needsNoClass) && element.matches(selectors);
    },
  };
}
