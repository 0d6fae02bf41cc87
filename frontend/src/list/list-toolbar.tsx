import { Keyboard } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Button, IconButton } from '@/ui/button';
import { FilterChip } from './filter-chip';
import { FilterMenu } from './filter-menu';
import { replaceFilter } from './filter-text';
import type { Filter } from './filters-codec';
import { FindBox } from './find-box';
import type { FilterField, FindField, ListCount, ResourceTexts } from './resource';

interface ListToolbarProps {
  fields: readonly FilterField[];
  filters: Filter[];
  timeZone: string;
  count: ListCount | undefined;
  loading: boolean;
  /** How many rows are selected. */
  selected: number;
  texts: ResourceTexts;
  find: FindField | undefined;
  menuOpen: boolean;
  onMenuOpenChange: (open: boolean) => void;
  onChange: (filters: Filter[], replace?: boolean) => void;
  onHelp: () => void;
  /** Column chooser and row height; a narrow screen has neither. */
  tools: ReactNode;
  /** Begins and ends selecting on a narrow screen. */
  selecting: ReactNode;
  /** What the list is there to begin, such as making a new one. */
  action: ReactNode;
}

export function ListToolbar(props: ListToolbarProps) {
  const { fields, filters, timeZone, count, loading, texts, onChange, onHelp, tools, action } = props;
  const { find, selected, selecting } = props;
  const { t } = useTranslation('list');
  const button = useRef<HTMLButtonElement>(null);

  const counted =
    count &&
    t(count.exact ? texts.count : texts.countOver, {
      count: count.total,
      shown: formatCount(count.total),
    });
  const selectedText = t('selection.count', { count: selected, shown: formatCount(selected) });

  function remove(index: number) {
    onChange(filters.filter((_, at) => at !== index));
    // The chip goes and would take the focus with it.
    button.current?.focus();
  }

  return (
    <div className="flex flex-wrap items-center gap-2">
      {find && <FindBox {...{ find, filters, onChange }} />}
      <FilterMenu
        {...{ fields, filters, timeZone, button, onChange }}
        open={props.menuOpen}
        onOpenChange={props.onMenuOpenChange}
      />
      {filters.length > 0 && (
        <>
          <ul aria-label={t('activeFilters')} className="contents max-md:hidden">
            {filters.map((filter, index) => {
              const field = fields.find(({ key }) => key === filter.key);
              return (
                field && (
                  <FilterChip
                    key={`${filter.key} ${filter.operator} ${index}`}
                    {...{ filter, field, timeZone }}
                    onChange={(next) => onChange(replaceFilter(filters, index, next))}
                    onRemove={() => remove(index)}
                  />
                )
              );
            })}
          </ul>
          <Button
            variant="quiet"
            onClick={() => {
              onChange([]);
              button.current?.focus();
            }}
          >
            {t('clear')}
          </Button>
        </>
      )}
      <div className="ml-auto flex flex-wrap items-center justify-end gap-2">
        <p role="status" className="px-1 text-sm whitespace-nowrap text-muted tabular-nums">
          {selected > 0 && counted
            ? t('selection.withCount', { selected: selectedText, matching: counted })
            : (counted ?? (loading && t('loading')))}
        </p>
        <div className="flex items-center gap-2 max-md:hidden">
          {tools}
          <IconButton
            icon={Keyboard}
            label={t('help.open')}
            shortcut="?"
            variant="default"
            onClick={onHelp}
          />
        </div>
        {selecting}
        {action}
      </div>
    </div>
  );
}
