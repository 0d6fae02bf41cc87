import { Plus, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/button';
import { cn } from '@/ui/cn';
import type { LabTab } from '../use-lab';

interface LabTabsProps {
  tabs: readonly LabTab[];
  current: string;
  titleOf: (tab: LabTab) => string;
  onChoose: (id: string) => void;
  onClose: (id: string) => void;
  onOpen: () => void;
}

/** The open queries. Not the tabs of a widget: each has a button of its own that closes it. */
export function LabTabs({ tabs, current, titleOf, onChoose, onClose, onOpen }: LabTabsProps) {
  const { t } = useTranslation('query-lab');
  return (
    <nav aria-label={t('queries')} className="flex items-center gap-1 border-b border-line">
      <ul className="-mb-px flex min-w-0 overflow-x-auto [scrollbar-width:none]">
        {tabs.map((tab) => {
          const isCurrent = tab.id === current;
          const title = titleOf(tab);
          return (
            <li
              key={tab.id}
              className={cn(
                'flex h-10 shrink-0 items-center border-b-2 text-sm',
                isCurrent ? 'border-accent text-accent' : 'border-transparent text-muted hover:text-fg',
              )}
            >
              <button
                type="button"
                aria-current={isCurrent || undefined}
                className="h-full max-w-56 truncate rounded-control pr-1 pl-3 font-medium focus-visible:-outline-offset-2"
                onClick={() => onChoose(tab.id)}
              >
                {title}
              </button>
              <button
                type="button"
                aria-label={t('closeQuery', { title })}
                className="hit-target mr-1 flex size-6 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-fg"
                onClick={() => onClose(tab.id)}
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          );
        })}
      </ul>
      <IconButton icon={Plus} label={t('newQuery')} size={28} onClick={onOpen} />
    </nav>
  );
}
