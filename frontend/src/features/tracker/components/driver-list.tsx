import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { driverState, seenAgo } from '../freshness';
import type { Located } from '../location-store';
import type { Progress } from '../use-driver-days';
import { useFreshness } from '../use-freshness';
import { DriverRow } from './driver-row';

const ROW = 56;
const AROUND = 6;
/** Where nothing is laid out yet. */
const USUAL_HEIGHT = 600;

interface DriverListProps {
  drivers: readonly Located[];
  days: ReadonlyMap<string, Progress>;
  now: number;
  selected: string | undefined;
  hovered: string | undefined;
  onSelect: (driverId: string) => void;
  onHover: (driverId: string | undefined) => void;
}

/** The drivers one below the other; of a thousand only those in sight are drawn. */
export function DriverList(props: DriverListProps) {
  const { drivers, days, now, selected, hovered, onSelect, onHover } = props;
  const { t } = useTranslation('tracker');
  const freshness = useFreshness();
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: USUAL_HEIGHT });
  const first = Math.max(0, Math.floor(view.top / ROW) - AROUND);
  const last = Math.min(drivers.length, Math.ceil((view.top + view.height) / ROW) + AROUND);

  function measure() {
    const { current } = box;
    if (current) setView({ top: current.scrollTop, height: current.clientHeight || USUAL_HEIGHT });
  }
  useEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);

  // The rows keep their handlers, whoever moved.
  const latest = useRef(drivers);
  useEffect(() => {
    latest.current = drivers;
  });
  const scrollTo = useCallback((index: number) => {
    const { current } = box;
    if (!current || index < 0) return;
    const top = index * ROW;
    if (top < current.scrollTop) current.scrollTop = top;
    else if (top + ROW > current.scrollTop + current.clientHeight) {
      current.scrollTop = top + ROW - current.clientHeight;
    }
  }, []);
  useEffect(() => {
    if (selected === undefined) return;
    scrollTo(latest.current.findIndex(({ driverId }) => driverId === selected));
  }, [selected, scrollTo]);

  const onKeyDown = useCallback(
    (event: KeyboardEvent, own: string) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const index = latest.current.findIndex(({ driverId }) => driverId === own) + step;
      const next = latest.current[index];
      if (!next) return;
      scrollTo(index);
      const find = () =>
        box.current?.querySelector<HTMLElement>(`[data-driver="${CSS.escape(next.driverId)}"]`);
      const target = find();
      if (target) target.focus();
      else requestAnimationFrame(() => find()?.focus());
    },
    [scrollTo],
  );

  return (
    <div ref={box} onScroll={measure} className="relative min-h-0 flex-1 overflow-y-auto">
      <ul
        aria-label={t('list')}
        className="relative"
        style={{ height: drivers.length * ROW }}
      >
        {drivers.slice(first, last).map((driver, index) => (
          <li
            key={driver.driverId}
            aria-setsize={drivers.length}
            aria-posinset={first + index + 1}
            className="absolute inset-x-0"
            style={{ top: (first + index) * ROW }}
          >
            <DriverRow
              driverId={driver.driverId}
              name={driver.name}
              state={driverState(driver.position, driver.at, now, freshness)}
              seen={seenAgo(driver.at, now)}
              {...{ onSelect, onHover, onKeyDown }}
              progress={days.get(driver.driverId)}
              isSelected={driver.driverId === selected}
              isHovered={driver.driverId === hovered}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
