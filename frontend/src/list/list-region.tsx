import {
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useState,
} from 'react';
import { cn } from '@/ui/cn';
import { controlOfRow, useFocusFallback } from '@/ui/use-focus-fallback';
import './list-region.css';

/** Returns the current inner width of an element in pixels; 0 before it is measured. */
export function useRoom(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const measure = () => setWidth(current.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

interface ListRegionProps {
  ref: RefObject<HTMLDivElement | null>;
  label: string;
  loading: boolean;
  narrow: boolean;
  /** The bar is at the end of the rows or floats over the last ones, but comes before them in tab and reading order. */
  bar: ReactNode;
  barShown: boolean;
  onClickCapture: (event: MouseEvent) => void;
  children: ReactNode;
}

/** The scroll container of the rows. On a narrow screen the page scrolls instead. */
export function ListRegion(props: ListRegionProps) {
  const { ref, label, loading, narrow, bar, barShown, onClickCapture, children } = props;
  useFocusFallback((region, otherRows) => controlOfRow(otherRows) ?? region, ref);

  // Tracks on which sides columns are cut off, for the shadows.
  const markEdges = useCallback(() => {
    const { current } = ref;
    if (!current) return;
    const { scrollLeft, scrollWidth, clientWidth } = current;
    current.toggleAttribute('data-scrolled', scrollLeft > 0);
    // Cards never scroll sideways, but the touch targets of their buttons stick out and count as width.
    current.toggleAttribute('data-more', !narrow && scrollLeft + clientWidth < scrollWidth - 1);
  }, [ref, narrow]);

  useEffect(() => {
    const { current } = ref;
    if (!current) return undefined;
    const observer = new ResizeObserver(markEdges);
    observer.observe(current);
    for (const child of current.children) observer.observe(child);
    return () => observer.disconnect();
  });

  return (
    <div className="list-region relative flex min-h-0 flex-1 flex-col print:block">
      {bar}
      <div
        ref={ref}
        role="region"
        aria-label={label}
        aria-busy={loading}
        tabIndex={narrow ? -1 : 0}
        onScroll={markEdges}
        onClickCapture={onClickCapture}
        className={cn(
          'group/list flex min-h-0 flex-1 flex-col focus-visible:-outline-offset-2 print:block print:overflow-visible',
          !narrow && 'scroll-pt-9 overflow-auto',
          // Room to scroll the last rows above the bar.
          !narrow && barShown && 'scroll-pb-20 pb-16',
        )}
      >
        {children}
      </div>
    </div>
  );
}
