import { X } from 'lucide-react';
import { type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useText } from '@/i18n/texts';
import { Popover, PopoverContent, PopoverTrigger } from '@/ui/popover';
import { FilterEditor } from './filter-editor';
import { filterText, replaceFilter } from './filter-text';
import type { Filter } from './filters-codec';
import type { FilterField } from './resource';
import { useLabeledFilter } from './use-labeled-filter';

interface FilterChipProps {
  filter: Filter;
  field: FilterField;
  timeZone: string;
  /** Returns the filters of the list with `next` in place of this one. */
  replace: (next: Filter) => Filter[];
  onChange: (filters: Filter[]) => void;
  onRemove: () => void;
}

interface FilterChipsProps {
  fields: readonly FilterField[];
  filters: readonly Filter[];
  timeZone: string;
  label: string;
  className: string;
  /** Gets the focus when the focused chip is removed. */
  button: RefObject<HTMLButtonElement | null>;
  onChange: (filters: Filter[]) => void;
}

/** One chip per filter whose field is known. */
export function FilterChips(props: FilterChipsProps) {
  const { fields, filters, timeZone, label, className, button, onChange } = props;
  return (
    <ul aria-label={label} className={className}>
      {filters.map((filter, index) => {
        const field = fields.find(({ key }) => key === filter.key);
        return (
          field && (
            <FilterChip
              key={`${filter.key} ${filter.operator} ${index}`}
              {...{ filter, field, timeZone, onChange }}
              replace={(next) => replaceFilter(filters, index, next)}
              onRemove={() => {
                onChange(filters.filter((_, at) => at !== index));
                button.current?.focus();
              }}
            />
          )
        );
      })}
    </ul>
  );
}

function FilterChip(props: FilterChipProps) {
  const { field, timeZone, replace, onChange, onRemove } = props;
  const { t } = useTranslation('list');
  const textOf = useText();
  const [open, setOpen] = useState(false);
  const filter = useLabeledFilter(props.filter, field);
  const { label, operator, value, text } = filterText(filter, field, timeZone, textOf);
  return (
    <li className="flex h-8 max-w-full min-w-0 items-center rounded-control border border-line2 bg-surface text-sm print:border-0">
      <Popover open={open} onOpenChange={setOpen}>
        <PopoverTrigger
          aria-label={t('editFilter', { text })}
          className="h-full min-w-0 truncate rounded-s-control pe-1 ps-2.5 text-muted hover:bg-raised focus-visible:-outline-offset-1"
        >
          {label} {operator} <span className="font-medium text-fg">{value}</span>
        </PopoverTrigger>
        <PopoverContent aria-label={label} className="w-80">
          <p className="mb-3 text-base font-semibold">{label}</p>
          <FilterEditor
            field={field}
            filter={filter}
            timeZone={timeZone}
            merge={replace}
            onApply={(next) => {
              setOpen(false);
              onChange(next);
            }}
          />
        </PopoverContent>
      </Popover>
      <button
        type="button"
        aria-label={t('removeFilter', { text })}
        data-tip={t('removeFilter', { text })}
        className="hit-target flex h-full w-7 shrink-0 items-center justify-center rounded-e-control text-muted hover:bg-raised hover:text-fg focus-visible:-outline-offset-1 print:hidden"
        onClick={onRemove}
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </li>
  );
}
