import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from 'lucide-react';
import { useId, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { IconButton } from '@/ui/button';
import { Select } from '@/ui/input';
import { hasNextPage, isDeepestPage, lastOffset } from './list-state';
import { PAGE_SIZES, type ListCount } from './resource';

interface ListFooterProps {
  shown: number;
  count: ListCount;
  limit: number;
  offset: number;
  /** Whether the rows of another page are still shown. */
  loading: boolean;
  /** Whether the list's shortcuts are on. If so, the paging buttons show theirs. */
  shortcuts?: boolean;
  onLimit: (limit: number) => void;
  onOffset: (offset: number) => void;
}

export function ListFooter(props: ListFooterProps) {
  const { shown, count, limit, offset, loading, shortcuts = false, onLimit, onOffset } = props;
  const { t } = useTranslation('list');
  const labelId = useId();
  const page = Math.floor(offset / limit) + 1;
  const hasNext = hasNextPage(count, shown, { limit, offset });
  const isDeepest = hasNext && isDeepestPage({ limit, offset });
  const last = lastOffset(count.total, limit);
  const more = count.exact ? '' : '+';
  const pages = `${formatCount(Math.max(page, Math.ceil(count.total / limit), 1))}${more}`;
  const to = formatCount(count.exact ? Math.min(offset + shown, count.total) : offset + shown);
  const total = `${formatCount(Math.max(count.total, count.exact ? 0 : offset + shown))}${more}`;
  const range = { from: formatCount(offset + 1), to, total };
  const turned = useTurned(offset, loading, t('turned', { page: formatCount(page), pages, ...range }));

  return (
    <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-1 border-t border-line px-3 py-1 text-sm text-muted tabular-nums">
      <p>
        {t('range', range)}
        {isDeepest && ` · ${t('deepest')}`}
      </p>
      <p aria-live="polite" className="sr-only">
        {turned}
      </p>
      <nav aria-label={t('pages')} className="flex items-center gap-1">
        <span id={labelId} className="max-md:hidden">
          {t('rowsPerPage')}
        </span>
        <Select
          size={32}
          aria-labelledby={labelId}
          className="me-3 ms-1 w-[72px] max-md:hidden"
          value={limit}
          onChange={({ target }) => onLimit(Number(target.value))}
        >
          {PAGE_SIZES.map((size) => (
            <option key={size} value={size}>
              {size}
            </option>
          ))}
        </Select>
        <IconButton
          icon={ChevronsLeft}
          label={t('firstPage')}
          className="max-md:hidden"
          disabled={offset === 0}
          onClick={() => onOffset(0)}
        />
        <IconButton
          icon={ChevronLeft}
          label={t('previousPage')}
          shortcut={shortcuts ? '[' : undefined}
          disabled={offset === 0}
          onClick={() => onOffset(offset - limit)}
        />
        <p className="px-2 whitespace-nowrap">
          <Trans
            t={t}
            i18nKey="page"
            values={{ page: formatCount(page), pages }}
            components={{ 1: <span className="font-medium text-fg" /> }}
          />
        </p>
        <IconButton
          icon={ChevronRight}
          label={t('nextPage')}
          shortcut={shortcuts ? ']' : undefined}
          disabled={!hasNext || isDeepest}
          onClick={() => onOffset(offset + limit)}
        />
        <IconButton
          icon={ChevronsRight}
          label={t('lastPage')}
          className="max-md:hidden"
          disabled={!hasNext || isDeepest || !count.exact}
          onClick={() => onOffset(last)}
        />
      </nav>
    </div>
  );
}

/**
 * Returns the text of the last page the user turned to, once its rows are shown; empty until then. Refreshes do not change
 * it.
 */
function useTurned(offset: number, loading: boolean, text: string): string {
  const [last, setLast] = useState({ offset, text: '' });
  if (!loading && last.offset !== offset) setLast({ offset, text });
  return last.text;
}
