import { Search, Users } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QueryState } from '@/data/query-state';
import { Input } from '@/ui/input';
import { SidePanel } from '@/ui/side-panel';
import { Tag } from '@/ui/tag';
import type { SavedQuery, useSavedQueries } from './use-saved-queries';

interface Props {
  saved: ReturnType<typeof useSavedQueries>;
  onOpen: (query: SavedQuery) => void;
  onClose: () => void;
}

/** With at least this many queries, the panel has a search field. */
const SEARCHED_FROM = 8;

/** The user's saved queries, and those that others share. */
export function SavedQueriesPanel({ saved, onOpen, onClose }: Props) {
  const { t } = useTranslation('query-lab');
  const { queries, error, fetching, retry } = saved;
  return (
    <SidePanel title={t('saved.title')} subtitle={t('saved.note')} onClose={onClose}>
      <QueryState value={queries} error={error} status={fetching ? 'refetch' : undefined} onRetry={retry}>
        {(all) =>
          all.length === 0 ? <p className="text-sm text-muted">{t('saved.none')}</p> : <Queries {...{ all, onOpen }} />
        }
      </QueryState>
    </SidePanel>
  );
}

function Queries({ all, onOpen }: { all: SavedQuery[]; onOpen: Props['onOpen'] }) {
  const { t } = useTranslation('query-lab');
  const [words, setWords] = useState('');
  const wanted = words.trim().toLowerCase();
  const found = all.filter(({ name, owner }) => `${name}\n${owner}`.toLowerCase().includes(wanted));
  const own = found.filter(({ isOwn }) => isOwn);
  const ofOthers = found.filter(({ isOwn }) => !isOwn);
  return (
    <div className="flex flex-col gap-5">
      {all.length >= SEARCHED_FROM && (
        <Input
          type="search"
          aria-label={t('saved.search')}
          placeholder={t('saved.search')}
          start={<Search aria-hidden className="size-4" />}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      )}
      {found.length === 0 && (
        <p role="status" className="text-sm text-muted">
          {t('saved.noMatch')}
        </p>
      )}
      {own.length > 0 && <Group title={t('saved.own')} queries={own} onOpen={onOpen} />}
      {ofOthers.length > 0 && <Group title={t('saved.ofOthers')} queries={ofOthers} onOpen={onOpen} />}
    </div>
  );
}

function Group({ title, queries, onOpen }: { title: string; queries: SavedQuery[]; onOpen: Props['onOpen'] }) {
  const { t } = useTranslation('query-lab');
  const heading = useId();
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading} className="px-2 text-xs font-medium text-muted">
        {title}
      </h3>
      <ul className="mt-1 flex flex-col divide-y divide-line">
        {queries.map((query) => (
          <li key={query.id}>
            <button
              type="button"
              className="flex w-full items-center gap-3 rounded-control px-2 py-2.5 text-start text-sm hover:bg-raised focus-visible:-outline-offset-2"
              onClick={() => onOpen(query)}
            >
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{query.name}</span>
                {!query.isOwn && <span className="block truncate text-xs text-muted">{t('saved.by', { owner: query.owner })}</span>}
              </span>
              {query.isOwn && query.shared && <Tag icon={Users}>{t('saved.sharedTag')}</Tag>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
