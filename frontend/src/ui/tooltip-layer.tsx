import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useTimeZone } from '@/data/use-time-zone';
import { formatAgo } from '@/lib/dates';
import { Kbd } from './tag';

const DELAY_MS = 400;
/** Distances of a tooltip in pixels: from its element (`GAP`) and from the edges of the window (`MARGIN`). */
const GAP = 6;
const MARGIN = 8;
/** Elements that do something else when they are tapped. */
const CONTROLS = 'a, button, input, label, select, textarea, .cursor-pointer';

interface Tip {
  target: HTMLElement;
  text: string;
  keys?: string | undefined;
}

function isCut({ scrollWidth, clientWidth }: Element): boolean {
  return scrollWidth > clientWidth;
}

/** Returns the tooltip declared by attributes on an element or its ancestors. */
function tipOf(node: EventTarget | null, timeZone: string): Tip | undefined {
  if (!(node instanceof Element)) return undefined;
  const target = node.closest<HTMLElement>('[data-tip], [data-tip-ago], [data-tip-cut]');
  if (!target) return undefined;
  const { tip, tipAgo, tipKeys } = target.dataset;
  if (tip) return { target, text: tip, keys: tipKeys };
  if (tipAgo) return { target, text: formatAgo(tipAgo, timeZone) };
  const cut = isCut(target) || [...target.querySelectorAll('.truncate')].some(isCut);
  return cut ? { target, text: target.innerText } : undefined;
}

/** Shows a tooltip while the pointer rests or the focus stays on an element that has one, or after a tap on plain text. */
function useTip(id: string): Tip | undefined {
  const [tip, setTip] = useState<Tip>();
  const timeZone = useTimeZone();

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let waiting: HTMLElement | undefined;
    let isTouch = false;
    const hide = () => {
      clearTimeout(timer);
      setTip(undefined);
    };
    const follow = (node: EventTarget | null) => {
      // The pointer may move onto the tooltip.
      if (node instanceof Element && node.id === id) return;
      const next = tipOf(node, timeZone);
      if (next?.target === waiting) return;
      hide();
      waiting = next?.target;
      if (next) timer = setTimeout(() => setTip(tipOf(next.target, timeZone)), DELAY_MS);
    };
    const listeners: Record<string, (event: Event) => void> = {
      pointerover: (event) => {
        if ((event as PointerEvent).pointerType !== 'touch') follow(event.target);
      },
      focusin: ({ target }) => {
        if (target instanceof Element && target.matches(':focus-visible')) follow(target);
      },
      focusout: () => follow(null),
      // After a click, the tooltip stays hidden until the pointer or the focus has left the element. A finger leaves at once.
      pointerdown: (event) => {
        isTouch = (event as PointerEvent).pointerType === 'touch';
        hide();
        if (isTouch) waiting = undefined;
      },
      click: ({ target }) => {
        if (isTouch && target instanceof Element && !target.closest(CONTROLS)) follow(target);
      },
      // The focus may scroll to its element, and keeps the tooltip then. The pointer stays where it is.
      scroll: () => {
        if (!waiting?.contains(document.activeElement)) hide();
      },
      keydown: (event) => {
        if (['Escape', 'Enter', ' '].includes((event as KeyboardEvent).key)) hide();
      },
    };
    const entries = Object.entries(listeners);
    for (const [type, listener] of entries) document.addEventListener(type, listener, true);
    return () => {
      clearTimeout(timer);
      for (const [type, listener] of entries) document.removeEventListener(type, listener, true);
    };
  }, [id, timeZone]);

  return tip;
}

/** Places the tooltip above its element, or below it at the top of the window. */
function placeAt(target: HTMLElement, box: HTMLElement) {
  const own = box.getBoundingClientRect();
  const { top, bottom, left, width } = target.getBoundingClientRect();
  const above = top - own.height - GAP;
  const middle = left + width / 2 - own.width / 2;
  const rightmost = window.innerWidth - own.width - MARGIN;
  box.style.top = `${above >= MARGIN ? above : bottom + GAP}px`;
  box.style.left = `${Math.max(MARGIN, Math.min(middle, rightmost))}px`;
}

/**
 * The only tooltip of the page. Elements declare their tooltips by attributes, which cost a long list nothing:
 * `data-tip` is the text, `data-tip-keys` a shortcut, `data-tip-ago` an instant shown as relative time, and
 * `data-tip-cut` the full text of an element that may be truncated.
 */
export function TooltipLayer() {
  const id = useId();
  const tip = useTip(id);
  const box = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (!tip) return undefined;
    const place = () => box.current && placeAt(tip.target, box.current);
    place();
    document.addEventListener('scroll', place, true);
    return () => document.removeEventListener('scroll', place, true);
  }, [tip]);

  useLayoutEffect(() => {
    if (!tip) return undefined;
    const { target } = tip;
    const described = target.getAttribute('aria-describedby');
    // Do not describe the element by a tooltip that repeats its accessible name.
    if (target.getAttribute('aria-label') === tip.text || described) return undefined;
    target.setAttribute('aria-describedby', id);
    return () => target.removeAttribute('aria-describedby');
  }, [tip, id]);

  if (!tip) return null;
  return (
    <div
      ref={box}
      id={id}
      role="tooltip"
      className="pointer-events-auto fixed z-60 flex max-w-72 animate-appear items-center gap-1.5 rounded-control bg-inverse px-2 py-1 text-xs wrap-anywhere text-inverse-fg shadow-float print:hidden"
    >
      {tip.text}
      {tip.keys && (
        <span aria-hidden>
          <Kbd>{tip.keys}</Kbd>
        </span>
      )}
    </div>
  );
}
