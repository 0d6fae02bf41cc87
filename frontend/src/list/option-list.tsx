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

/** The options of a combobox; the text box keeps the focus and names the active one. */
export function OptionList({ id, options, active, loading, onChoose }: OptionListProps) {
  const { t } = useTranslation('list');
  return (
    <div className="-mx-1">
      <ul
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
      {options.length === 0 && (
        <p className="px-2 py-1.5 text-xs text-muted">
          {t(loading ? 'loading' : 'noSuggestions')}
        </p>
      )}
    </div>
  );
}
