import { useCombobox, type UseComboboxState, type UseComboboxStateChangeOptions } from 'downshift';
import type { InputHTMLAttributes, KeyboardEvent, Ref, SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';
import type { FilterValue } from './filters-codec';

const { InputKeyDownArrowDown, InputKeyDownArrowUp, InputBlur, MenuMouseLeave } = useCombobox.stateChangeTypes;

/** Leaves a key to the text input; downshift then ignores it. */
function leaveAlone({ nativeEvent }: SyntheticEvent) {
  Object.assign(nativeEvent, { preventDownshiftDefault: true });
}

type State = UseComboboxState<FilterValue>;

/** ArrowUp on the first option returns to the text. Leaving the input selects nothing. */
function reduce(state: State, { type, changes, props }: UseComboboxStateChangeOptions<FilterValue>) {
  const { highlightedIndex: active } = state;
  switch (type) {
    case InputKeyDownArrowDown:
      return { ...state, isOpen: true, highlightedIndex: Math.min(props.items.length - 1, active + 1) };
    case InputKeyDownArrowUp:
      return { ...state, isOpen: true, highlightedIndex: Math.max(-1, active - 1) };
    case InputBlur:
      return { ...state, isOpen: false, highlightedIndex: -1 };
    case MenuMouseLeave:
      return state;
    default:
      return changes;
  }
}

interface SuggestionsOptions {
  boxRef?: Ref<HTMLInputElement> | undefined;
  text: string;
  options: FilterValue[];
  loading: boolean;
  isOpen: boolean;
  /** Called when a key opens or closes the list. Without it, the list is always open and ignores Escape. */
  onOpenChange?: (isOpen: boolean) => void;
  onChoose: (option: FilterValue) => void;
}

type BoxProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'size'>;

/** Adds suggestions to a text input, which keeps the focus and references the active option. */
export function useSuggestions(props: SuggestionsOptions) {
  const { boxRef, text, options, loading, isOpen, onOpenChange, onChoose } = props;
  const { t } = useTranslation('list');
  const combobox = useCombobox<FilterValue>({
    items: options,
    inputValue: text,
    selectedItem: null,
    isOpen,
    itemToString: (option) => option?.label || option?.value || '',
    scrollIntoView: (option) => option.scrollIntoView({ block: 'nearest' }),
    stateReducer: reduce,
    onIsOpenChange: ({ isOpen: next }) => onOpenChange?.(next),
    onSelectedItemChange: ({ selectedItem }) => {
      if (selectedItem) onChoose(selectedItem);
    },
  });
  const { highlightedIndex } = combobox;
  const active = isOpen ? options[highlightedIndex] : undefined;

  function onKeyDown(event: KeyboardEvent) {
    const { key } = event;
    if (key === 'Escape') {
      // Escape closes the list, but not a dialog around it.
      if (isOpen && onOpenChange) event.stopPropagation();
      else leaveAlone(event);
    } else if (key === 'Enter') {
      // Select at once: downshift would only do so after the next render, for which a quick second Enter does not wait.
      leaveAlone(event);
      if (!active || event.nativeEvent.isComposing) return;
      event.preventDefault();
      combobox.setHighlightedIndex(-1);
      onChoose(active);
    } else if (!active && (key === 'Home' || key === 'End')) {
      leaveAlone(event);
    }
  }

  const menuProps = combobox.getMenuProps(
    {
      'aria-label': t('suggestions'),
      'aria-busy': loading,
      // Keep the focus in the input while the list is scrolled with the mouse.
      onMouseDown: (event) => event.preventDefault(),
    },
    { suppressRefError: true },
  );
  return {
    active,
    /** Returns the props of the text input, merged with its own. */
    boxProps: ({ onKeyDown: besides, ...own }: BoxProps): BoxProps =>
      combobox.getInputProps({
        ...own,
        ref: boxRef,
        // The surrounding field sets the ID for its label.
        id: undefined,
        'aria-labelledby': undefined,
        // If the list is always open, reference it even while the input does not have the focus.
        'aria-controls': (own['aria-expanded'] ?? isOpen) ? menuProps.id : undefined,
        'aria-activedescendant': active && combobox.getItemProps({ item: active, index: highlightedIndex }).id,
        onClick: leaveAlone,
        onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => {
          besides?.(event);
          onKeyDown(event);
        },
      }),
    list: (
      <div className="-mx-1">
        <ul {...menuProps} className="max-h-44 overflow-y-auto">
          {options.map((option, index) => (
            <li
              key={option.value}
              {...combobox.getItemProps({ item: option, index, onMouseMove: leaveAlone })}
              className={cn(
                'flex min-h-8 cursor-pointer items-center rounded-control px-2 text-sm wrap-anywhere hover:bg-hover pointer-coarse:min-h-11',
                option === active && 'bg-hover',
              )}
            >
              <span dir="auto">{option.label || option.value}</span>
            </li>
          ))}
        </ul>
        <p role="status" className={options.length > 0 ? 'sr-only' : 'px-2 py-1.5 text-xs text-muted'}>
          {loading
            ? t('loading')
            : options.length > 0
              ? t('found', { count: options.length })
              : t('noSuggestions')}
        </p>
      </div>
    ),
  };
}
