import { ChevronLeft, ListFilter, X } from 'lucide-react';
import { useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { useText } from '@/i18n/texts';
import { Button, IconButton } from '@/ui/button';
import { Input } from '@/ui/input';
import { Popover, PopoverContent, PopoverTrigger } from '@/ui/popover';
import { Count } from '@/ui/tag';
import { firstControl, useFocusFallback } from '@/ui/use-focus-fallback';
import { FilterEditor } from './filter-editor';
import { addFilter, fieldLabel, filterText } from './filter-text';
import type { Filter } from './filters-codec';
import type { FilterField } from './resource';
import { useLabeledFilter } from './use-labeled-filter';

interface FilterMenuProps {
  fields: readonly FilterField[];
  filters: Filter[];
  timeZone: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onChange: (filters: Filter[]) => void;
  button: RefObject<HTMLButtonElement | null>;
}

const row =
  'flex min-h-8 w-full items-center rounded-control px-2 text-start text-sm hover:bg-hover focus-visible:-outline-offset-2 pointer-coarse:min-h-11';

export function FilterMenu(props: FilterMenuProps) {
  const { fields, filters, timeZone, open, onOpenChange, onChange, button } = props;
  const { t } = useTranslation('list');
  const textOf = useText();
  const [chosen, setChosen] = useState<FilterField>();

  function changeOpen(next: boolean) {
    setChosen(undefined);
    onOpenChange(next);
  }

  return (
    <Popover open={open} onOpenChange={changeOpen}>
      <PopoverTrigger asChild>
        <Button ref={button} icon={ListFilter}>
          {t('filter')}
          {filters.length > 0 && (
            <span className="md:hidden">
              <Count tone="accent">{filters.length}</Count>
            </span>
          )}
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label={t('filter')} className={chosen ? 'w-80' : 'w-64 p-1.5!'}>
        <FocusKept>
          {chosen ? (
            <>
              <div className="mb-2 flex items-center gap-1">
                <IconButton
                  icon={ChevronLeft}
                  label={t('back')}
                  size={28}
                  className="-ms-1.5"
                  onClick={() => setChosen(undefined)}
                />
                <p className="text-base font-semibold">{fieldLabel(chosen, textOf)}</p>
              </div>
              <FilterEditor
                key={chosen.key}
                field={chosen}
                filter={undefined}
                timeZone={timeZone}
                merge={(filter) => addFilter(filters, filter)}
                onApply={(next) => {
                  changeOpen(false);
                  onChange(next);
                }}
              />
            </>
          ) : (
            <>
              {filters.length > 0 && (
                <div className="mb-1 border-b border-line pb-1 md:hidden">
                  <p className="caps px-2 py-1.5 text-muted">{t('activeFilters')}</p>
                  <ActiveFilters {...{ fields, filters, timeZone, onChange }} />
                </div>
              )}
              <p className="caps px-2 py-1.5 text-muted">{t('filterBy')}</p>
              <FieldPicker fields={fields.filter(({ linkOnly }) => !linkOnly)} onChoose={setChosen} />
            </>
          )}
        </FocusKept>
      </PopoverContent>
    </Popover>
  );
}

/** Keeps the focus in the menu when the focused button is removed, such as Back. */
function FocusKept({ children }: { children: ReactNode }) {
  const menu = useFocusFallback<HTMLDivElement>(firstControl);
  return <div ref={menu}>{children}</div>;
}

/** With more fields than this, the menu has a search box. */
const MANY_FIELDS = 8;

interface FieldPickerProps {
  fields: readonly FilterField[];
  onChoose: (field: FilterField) => void;
}

/** The fields as a list for arrow keys, with a search box if there are many. */
function FieldPicker({ fields, onChoose }: FieldPickerProps) {
  const { t } = useTranslation('list');
  const textOf = useText();
  const [text, setText] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const wanted = text.trim().toLowerCase();
  const found = fields.filter((field) => fieldLabel(field, textOf).toLowerCase().includes(wanted));

  function onKeyDown(event: KeyboardEvent) {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const last = buttons.length - 1;
    const steps: Record<string, number> = {
      ArrowDown: Math.min(last, at + 1),
      ArrowUp: Math.max(0, at - 1),
      // While the text input has the focus, Home and End move its cursor.
      ...(at >= 0 && { Home: 0, End: last }),
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    buttons[next]?.focus();
  }

  return (
    // Arrow keys work from the search box and the list alike.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div onKeyDown={onKeyDown}>
      {fields.length > MANY_FIELDS && (
        <form
          className="mb-1"
          onSubmit={(event) => {
            event.preventDefault();
            if (wanted && found[0]) onChoose(found[0]);
          }}
        >
          <Input
            size={32}
            aria-label={t('findField')}
            placeholder={t('findField')}
            value={text}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setText(target.value)}
          />
        </form>
      )}
      <ul ref={list}>
        {found.map((field) => (
          <li key={field.key}>
            <button type="button" className={row} onClick={() => onChoose(field)}>
              {fieldLabel(field, textOf)}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p role="status" className="px-2 py-1.5 text-xs text-muted">
          {t('noSuggestions')}
        </p>
      )}
    </div>
  );
}

type ActiveFiltersProps = Pick<FilterMenuProps, 'fields' | 'filters' | 'timeZone' | 'onChange'>;

/** Active filters inside the menu on narrow screens, in place of chips. */
function ActiveFilters({ fields, filters, timeZone, onChange }: ActiveFiltersProps) {
  return (
    <ul>
      {filters.map((filter, index) => {
        const field = fields.find(({ key }) => key === filter.key);
        return (
          field && (
            <ActiveFilter
              key={`${filter.key}-${filter.operator}`}
              {...{ filter, field, timeZone }}
              onRemove={() => onChange(filters.filter((_, at) => at !== index))}
            />
          )
        );
      })}
    </ul>
  );
}

interface ActiveFilterProps {
  filter: Filter;
  field: FilterField;
  timeZone: string;
  onRemove: () => void;
}

function ActiveFilter({ filter, field, timeZone, onRemove }: ActiveFilterProps) {
  const { t } = useTranslation('list');
  const { text } = filterText(useLabeledFilter(filter, field), field, timeZone, useText());
  return (
    <li className="flex items-center gap-1 ps-2">
      <span className="min-w-0 flex-1 text-sm wrap-anywhere">{text}</span>
      <IconButton icon={X} size={28} label={t('removeFilter', { text })} onClick={onRemove} />
    </li>
  );
}
