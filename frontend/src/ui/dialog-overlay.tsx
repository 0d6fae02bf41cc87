/**
 * A plain layer in the place of Radix' own overlay, which locks scrolling through a style element
 * that the content security policy refuses. The lock is a rule in styles.css instead.
 */
export function DialogOverlay() {
  return <div data-scroll-lock className="fixed inset-0 z-50 animate-appear bg-overlay" />;
}
