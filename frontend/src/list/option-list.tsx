import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';
import type { FilterValue } from './filters-codec';

interface OptionListProps {
  id: string;
  options: FilterValue[];
  active: number;
  loading: boolean;
  onChoose: (option: FilterValue) => void;
}

/** Returns the option that a key of a combobox leads to; undefined for keys of the text box. */
export function optionAt(key: string, active: number, count: number): number | undefined {
  const last = count - 1;
  if (key === 'ArrowDown') return Math.min(last, active + 1);
  if (key === 'ArrowUp') return Math.max(-1, active - 1);
  // Without an active option they move the cursor, as in any text box.
  if (active < 0) return undefined;
  if (key === 'Home') return 0;
  return key === 'End' ? last : undefined;
}

/** The options of a combobox; the text box keeps the focus and names the active one. */
export function OptionList({ id, options, active, loading, onChoose }: OptionListProps) {
  const { t } = useTranslation('list');
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div className="-mx-1">
      <ul
        ref={list}
        id={id}
        role="listbox"
        aria-label={t('suggestions')}
        aria-busy={loading}
        className="max-h-44 overflow-y-auto"
      >
        {options.map((option, index) => (
          // Keys reach an option through the text box, which is where the focus stays.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            className={cn(
              'flex min-h-8 cursor-pointer items-center rounded-control px-2 text-sm wrap-anywhere hover:bg-hover pointer-coarse:min-h-11',
              index === active && 'bg-hover',
            )}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(option)}
          >
            {option.label || option.value}
          </li>
        ))}
      </ul>
      <p
        role="status"
        className={options.length > 0 ? 'sr-only' : 'px-2 py-1.5 text-xs text-muted'}
      >
        {loading
          ? t('loading')
          : options.length > 0
            ? t('found', { count: options.length })
            : t('noSuggestions')}
      </p>
    </div>
  );
}
