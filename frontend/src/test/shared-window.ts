type Functions = Map<string, unknown>;

const owners = () => [window, URL, HTMLInputElement.prototype] as unknown as Record<string, unknown>[];

function functionsOf(owner: Record<string, unknown>): Functions {
  const names = Object.getOwnPropertyNames(owner).filter((name) => !name.startsWith('__'));
  return new Map(
    names.flatMap((name) => {
      // Accessors that need an instance cannot be read from the prototype.
      if (owner !== (window as unknown) && Object.getOwnPropertyDescriptor(owner, name)?.get) return [];
      const value = owner[name];
      return typeof value === 'function' ? [[name, value] as const] : [];
    }),
  );
}

let functions: Functions[] | undefined;

/** Records the functions of the window before the first test file of a worker, since later files share the window. */
export function rememberWindow(): void {
  functions ??= owners().map(functionsOf);
}

/** Restores functions that a test file replaced, such as `URL.createObjectURL`. */
export function restoreWindow(): void {
  for (const [index, owner] of owners().entries()) {
    const before = functions?.[index];
    if (!before) continue;
    for (const [name, value] of before) if (owner[name] !== value) owner[name] = value;
    // Keep functions that libraries have added to the window, because they add them only once, when they are loaded.
    if (owner === (window as unknown)) continue;
    for (const name of functionsOf(owner).keys()) if (!before.has(name)) Reflect.deleteProperty(owner, name);
  }
}

/** Clears storage and the document; fails if a test left elements behind. */
export function resetDocument(): void {
  localStorage.clear();
  sessionStorage.clear();
  document.title = '';
  for (const element of [document.documentElement, document.body]) {
    for (const name of element.getAttributeNames()) if (name !== 'lang') element.removeAttribute(name);
  }
  const left = [...document.body.children].map(({ outerHTML }) => outerHTML.slice(0, 200));
  document.body.replaceChildren();
  if (left.length > 0) throw new Error(`The test left elements in the document: ${left.join('\n')}`);
}
