import {
  Check,
  ChevronDown,
  ChevronsLeftRight,
  ChevronsRightLeft,
  ChevronUp,
  Columns3,
  GripVertical,
  Lock,
  Pin,
  Rows3,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useText } from '@/i18n/texts';
import { Button, IconButton } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { cn } from '@/ui/cn';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { Popover, PopoverContent, PopoverTrigger } from '@/ui/popover';
import { useDragOrder } from '@/ui/use-drag-order';
import type { ListColumn } from './resource';
import { type ColumnControl, DENSITIES, type Density } from './use-column-settings';

interface ColumnChooserProps {
  columns: readonly Pick<ListColumn<never>, 'id' | 'labelKey' | 'locked'>[];
  control: ColumnControl;
  /** Current width of each column in pixels, by ID. */
  sizes: ReadonlyMap<string, number>;
  /** IDs of the selected columns that do not fit in the list's current width. */
  left: readonly string[];
}

const arrow = 'w-6! off:border-transparent off:bg-transparent off:opacity-40';
const row =
  'flex h-8 items-center gap-1 rounded-control px-2 hover:bg-raised pointer-coarse:h-11';

/** Pixels per click on the width buttons. */
const STEP = 24;

export function ColumnChooser({ columns, control, sizes, left }: ColumnChooserProps) {
  const { t } = useTranslation('list');
  const textOf = useText();
  const { settings, toggle, place, reset } = control;
  const drag = useDragOrder(place);
  const ordered = settings.order.flatMap((id) => columns.filter((column) => column.id === id));
  const shown = ordered.filter(({ id }) => !settings.hidden.includes(id));
  const hidden = ordered.filter(({ id }) => settings.hidden.includes(id));
  const firstFree = shown.findIndex(({ locked }) => !locked);

  return (
    <Popover>
      <PopoverTrigger asChild>
        <IconButton icon={Columns3} label={t('columns.title')} variant="default" />
      </PopoverTrigger>
      <PopoverContent align="end" aria-label={t('columns.title')} className="w-[364px] max-w-[calc(100vw-24px)] p-0!">
        <div className="flex items-center justify-between border-b border-line py-1.5 pe-1.5 ps-3">
          <p className="text-sm font-semibold">{t('columns.title')}</p>
          <Button variant="ghost" size={28} className="text-accent!" onClick={reset}>
            {t('columns.reset')}
          </Button>
        </div>
        <div className="p-1.5">
          <p className="caps px-2 py-1 text-muted">{t('columns.shown')}</p>
          {/* One list for shown and hidden columns, so that a checkbox keeps the focus when it moves its column. */}
          <ul>
            {[...shown, ...hidden].flatMap(({ id, labelKey, locked }, index) => {
              const label = textOf(labelKey);
              const isShown = index < shown.length;
              return [
                index === shown.length && (
                  <li key=" hidden" className="caps px-2 pt-2 pb-1 text-muted">
                    {t('columns.hidden')}
                  </li>
                ),
                // Dragging is for the mouse; the arrows beside each column work with any input.
                // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
                <li
                  key={id}
                  {...(isShown && drag.row(index))}
                  className={cn(
                    row,
                    isShown && 'pe-0.5 focus-within:bg-accent-soft',
                    drag.dragged === id && 'bg-accent-soft',
                  )}
                >
                  {locked ? (
                    <>
                      <span className="min-w-0 flex-1 text-sm">{label}</span>
                      <Lock
                        role="img"
                        aria-label={t('columns.locked', { column: label })}
                        className="me-2 size-3.5 text-muted"
                      />
                    </>
                  ) : (
                    <>
                      {isShown && (
                        <span {...drag.handle(id)} data-tip={t('columns.drag')}>
                          <GripVertical className="size-4" />
                        </span>
                      )}
                      <Checkbox
                        label={label}
                        checked={isShown}
                        className={cn('min-w-0 flex-1', !isShown && 'text-muted')}
                        onChange={() => toggle(id)}
                      />
                      {left.includes(id) && (
                        <span className="shrink-0 text-xs text-muted">{t('columns.noRoom')}</span>
                      )}
                      {isShown && (
                        <ColumnButtons
                          {...{ id, label, control }}
                          width={sizes.get(id) ?? 0}
                          isFirst={index === firstFree}
                          isLast={index === shown.length - 1}
                        />
                      )}
                    </>
                  )}
                </li>,
              ];
            })}
          </ul>
        </div>
      </PopoverContent>
    </Popover>
  );
}

interface ColumnButtonsProps {
  id: string;
  label: string;
  control: ColumnControl;
  /** In pixels. */
  width: number;
  isFirst: boolean;
  isLast: boolean;
}

/** Buttons that pin, resize and move a column. */
function ColumnButtons({ id, label, control, width, isFirst, isLast }: ColumnButtonsProps) {
  const { t } = useTranslation('list');
  const { settings, move, pin, resize } = control;
  const isPinned = settings.pinned.includes(id);
  return (
    <>
      <IconButton
        icon={Pin}
        size={28}
        label={t('columns.pin', { column: label })}
        aria-pressed={isPinned}
        className={`${arrow} ${isPinned ? 'text-accent!' : ''}`}
        onClick={() => pin(id)}
      />
      <IconButton
        icon={ChevronsRightLeft}
        size={28}
        label={t('columns.narrower', { column: label })}
        className={arrow}
        onClick={() => resize(id, width - STEP)}
      />
      <IconButton
        icon={ChevronsLeftRight}
        size={28}
        label={t('columns.wider', { column: label })}
        className={arrow}
        onClick={() => resize(id, width + STEP)}
      />
      <IconButton
        icon={ChevronUp}
        size={28}
        label={t('columns.up', { column: label })}
        disabled={isFirst}
        className={arrow}
        onClick={() => move(id, -1)}
      />
      <IconButton
        icon={ChevronDown}
        size={28}
        label={t('columns.down', { column: label })}
        disabled={isLast}
        className={arrow}
        onClick={() => move(id, 1)}
      />
    </>
  );
}

interface DensityMenuProps {
  density: Density;
  onChange: (density: Density) => void;
}

export function DensityMenu({ density, onChange }: DensityMenuProps) {
  const { t } = useTranslation('list');
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <IconButton icon={Rows3} label={t('density.title')} variant="default" />
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuLabel>{t('density.title')}</DropdownMenuLabel>
        {DENSITIES.map((entry) => (
          <DropdownMenuItem
            key={entry}
            role="menuitemradio"
            aria-checked={entry === density}
            onSelect={() => onChange(entry)}
          >
            <Check
              aria-hidden
              className={cn('size-4 text-accent', entry !== density && 'invisible')}
            />
            {t(`density.${entry}`)}
          </DropdownMenuItem>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
