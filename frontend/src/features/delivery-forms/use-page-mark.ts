import { useEffect } from 'react';

/** Name of the property that paper.css prints at the bottom of each page. */
const PROPERTY = '--page-mark';

/** Sets the text that identifies the form on each printed page. */
export function usePageMark(text: string): void {
  useEffect(() => {
    // Margin boxes of pages inherit from the root element only.
    const { style } = document.documentElement;
    style.setProperty(PROPERTY, JSON.stringify(text));
    return () => void style.removeProperty(PROPERTY);
  }, [text]);
}
