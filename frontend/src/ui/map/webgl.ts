let known: boolean | undefined;

/** Whether the browser supports WebGL; without it the table is shown. */
export function hasWebgl(): boolean {
  if (known === undefined) {
    try {
      const canvas = document.createElement('canvas');
      const context = canvas.getContext('webgl2');
      known = Boolean(context);
      // Release it, since browsers limit the number of contexts.
      context?.getExtension('WEBGL_lose_context')?.loseContext();
    } catch {
      known = false;
    }
  }
  return known;
}
