import { type RefCallback, useCallback, useState } from 'react';
import { cn } from '@/ui/cn';

const SPEED_PX_PER_S = 100;
const LOOPS = 3;

/** Names the area whose hovering, or focus by the keyboard, holds the text still. */
export const NEWS_HOLD = 'group/news';

interface NewsStripProps {
  text: string;
  paused?: boolean;
  /** After the last loop; never under reduced motion. */
  onEnd: () => void;
}

/**
 * Text that moves left at 100 pixels a second, three times, and stands in as many lines as it needs
 * under reduced motion.
 */
export function NewsStrip({ text, paused = false, onEnd }: NewsStripProps) {
  const [width, setWidth] = useState(0);
  const measure: RefCallback<HTMLElement> = useCallback((copy) => {
    if (copy) setWidth(copy.offsetWidth);
  }, []);
  const seconds = width / SPEED_PX_PER_S;
  const copyClasses = cn(
    'min-w-full shrink-0 pr-24 whitespace-nowrap motion-reduce:min-w-0 motion-reduce:shrink motion-reduce:animate-none motion-reduce:pr-0 motion-reduce:whitespace-normal motion-reduce:wrap-anywhere',
    seconds > 0 &&
      'animate-news group-hover/news:[animation-play-state:paused] group-has-focus-visible/news:[animation-play-state:paused]',
    paused && '[animation-play-state:paused]',
  );
  return (
    <div
      className="flex min-w-0 flex-1 overflow-hidden"
      style={{ '--news-loop': `${seconds}s`, '--news-loops': LOOPS }}
    >
      <p key={text} ref={measure} className={copyClasses} onAnimationEnd={onEnd}>
        {text}
      </p>
      <p aria-hidden className={cn(copyClasses, 'motion-reduce:hidden')}>
        {text}
      </p>
    </div>
  );
}
