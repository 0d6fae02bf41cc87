import { X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useText } from '@/i18n/texts';
import { formatCount } from '@/lib/numbers';
import { Button, IconButton } from '@/ui/button';
import { Kbd } from '@/ui/tag';
import { type BulkAction, type ListCount, MAX_SELECTED } from './resource';

/** An action and the number of selected rows that it applies to. */
export interface OfferedAction {
  action: Pick<BulkAction, 'id' | 'labelKey' | 'icon' | 'shortcut'>;
  fitting: number;
}

interface BulkBarProps {
  selected: number;
  /** Number of rows on the page. Selecting more than these is offered only if more rows match. */
  shown: number;
  count: ListCount | undefined;
  offered: readonly OfferedAction[];
  /** Whether all matching rows are selected; undefined where the list does not support it. */
  all: boolean | undefined;
  /** Whether single-key shortcuts are on. If so, the buttons show them. */
  shortcuts: boolean;
  /** Number of IDs found so far while selecting all. */
  finding: number | undefined;
  onSelectAll: () => void;
  onAction: (id: string) => void;
  onClear: () => void;
}

/** Whether more rows match and can be selected. */
export function isMore({ all, count, selected, shown }: Pick<BulkBarProps, 'all' | 'count' | 'selected' | 'shown'>) {
  const total = count?.total ?? 0;
  if (all === undefined) return total > shown && selected < Math.min(total, MAX_SELECTED);
  return !all && total > selected;
}

/**
 * The actions for the selected rows. The bar floats over the last rows, so that they do not shift when it appears. On a
 * phone, where it takes several lines, it sticks to the window below the rows instead, and at the end covers nothing.
 */
export function BulkBar(props: BulkBarProps) {
  const { selected, count, offered, all, shortcuts, finding, onSelectAll, onAction, onClear } = props;
  const { t } = useTranslation('list');
  const textOf = useText();
  const total = count?.total ?? 0;
  const isAll = count?.exact === true && total <= MAX_SELECTED;
  const hasMore = isMore(props);
  return (
    <div
      role="group"
      aria-label={t('selection.title')}
      className="pointer-events-none absolute inset-x-2 bottom-4 z-20 flex justify-center max-md:sticky max-md:inset-x-auto max-md:order-1 max-md:mx-2 max-md:my-4"
    >
      <div className="pointer-events-auto flex max-w-full animate-appear flex-wrap items-center gap-1 rounded-panel border border-line2 bg-surface p-1.5 shadow-float">
        <p className="flex h-8 items-center rounded-control bg-accent px-2.5 text-sm font-medium whitespace-nowrap text-accent-fg tabular-nums">
          {all
            ? t(count?.exact ? 'selection.allOf' : 'selection.allOver', { total: formatCount(total) })
            : t('selection.count', { count: selected, shown: formatCount(selected) })}
        </p>
        {(hasMore || finding !== undefined) && (
          <Button
            variant="ghost"
            className="text-accent!"
            aria-disabled={finding !== undefined || undefined}
            aria-keyshortcuts={shortcuts ? '*' : undefined}
            onClick={() => finding === undefined && onSelectAll()}
          >
            {finding !== undefined
              ? t('selection.finding', { found: formatCount(finding) })
              : all === false
                ? t(count?.exact ? 'selection.matching' : 'selection.matchingOver', { total: formatCount(total) })
                : isAll
                  ? t('selection.all', { total: formatCount(total) })
                  : t('selection.first', { most: formatCount(MAX_SELECTED) })}
            {shortcuts && finding === undefined && (
              <span aria-hidden className="max-md:hidden">
                <Kbd>*</Kbd>
              </span>
            )}
          </Button>
        )}
        <span aria-hidden className="mx-1 h-5 w-px bg-line2 max-md:hidden" />
        {offered.map(({ action, fitting }) => (
          <Button
            key={action.id}
            variant="ghost"
            icon={action.icon}
            aria-keyshortcuts={shortcuts ? action.shortcut : undefined}
            onClick={() => onAction(action.id)}
          >
            {!all && fitting < selected
              ? t('selection.fits', {
                  action: textOf(action.labelKey),
                  fitting: formatCount(fitting),
                  selected: formatCount(selected),
                })
              : textOf(action.labelKey)}
            {shortcuts && (
              <span aria-hidden className="max-md:hidden">
                <Kbd>{action.shortcut.toUpperCase()}</Kbd>
              </span>
            )}
          </Button>
        ))}
        <span aria-hidden className="mx-1 h-5 w-px bg-line2 max-md:hidden" />
        <IconButton icon={X} label={t('selection.clear')} shortcut={shortcuts ? 'Esc' : undefined} onClick={onClear} />
      </div>
    </div>
  );
}
