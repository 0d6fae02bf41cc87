/**
 * Returns a function that says whether somebody has used the page since its last call. Opening the page counts as use,
 * and so does returning to its tab.
 */
export function watchUse(page: Pick<Document, 'hidden' | 'addEventListener'>): () => boolean {
  let inUse = true;
  for (const event of ['pointerdown', 'keydown', 'wheel', 'click', 'visibilitychange']) {
    page.addEventListener(event, () => (inUse ||= !page.hidden), { capture: true, passive: true });
  }
  return () => {
    const wasInUse = inUse;
    inUse = false;
    return wasInUse;
  };
}
