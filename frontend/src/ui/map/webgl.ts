let known: boolean | undefined;

/** Whether this browser can draw the map; without it there is the table. */
export function hasWebgl(): boolean {
  if (known === undefined) {
    try {
      const canvas = document.createElement('canvas');
      const context = canvas.getContext('webgl2');
      known = Boolean(context);
      // A browser gives out few of them.
      context?.getExtension('WEBGL_lose_context')?.loseContext();
    } catch {
      known = false;
    }
  }
  return known;
}
