import { EllipsisVertical, Pencil, Search, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText, normalizeError } from '@/data/errors';
import { QueryState } from '@/data/query-state';
import { SavedViewDialog } from '@/list/saved-view-dialog';
import { IconButton } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { ConfirmDialog } from '@/ui/dialog';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { Input } from '@/ui/input';
import { SidePanel } from '@/ui/side-panel';
import type { ImportMapping, SavedMapping } from './mapping-queries';
import type { UploadLog } from './queries';
import { useSavedMappings, useSaveMapping } from './use-saved-mappings';

interface SavedMappingsPanelProps {
  log: UploadLog;
  mapping: ImportMapping;
  onApply: (id: string) => void;
  onClose: () => void;
}

/** With at least this many mappings, the panel has a search field. */
const SEARCHED_FROM = 8;

/** Saved mappings of the import's source, then those of other sources. */
export function SavedMappingsPanel({ log, mapping, onApply, onClose }: SavedMappingsPanelProps) {
  const { t } = useTranslation('imports');
  const { mappings, error, fetching, retry } = useSavedMappings(log.id, mapping);
  const [renamed, setRenamed] = useState<SavedMapping>();
  const [deleted, setDeleted] = useState<SavedMapping>();
  const { rename, remove } = useSaveMapping();
  return (
    <>
      <SidePanel title={t('mapping.saved.title')} subtitle={t('mapping.saved.note')} onClose={onClose}>
        <QueryState value={mappings} error={error} status={fetching ? 'refetch' : undefined} onRetry={retry}>
          {(all) =>
            all.length === 0 ? (
              <p className="text-sm text-muted">{t('mapping.saved.none')}</p>
            ) : (
              <Mappings {...{ all, log, onApply }} onRename={setRenamed} onDelete={setDeleted} />
            )
          }
        </QueryState>
      </SidePanel>
      {renamed && (
        <SavedViewDialog
          title={t('mapping.saved.renameTitle', { name: renamed.name })}
          name={renamed.name}
          onSave={async (name) => {
            const failed = await rename(renamed.id, name);
            return failed.error ? normalizeError(failed.error) : undefined;
          }}
          onClose={() => setRenamed(undefined)}
        />
      )}
      {deleted && (
        <ConfirmDialog
          danger
          title={t('mapping.saved.remove.question', { name: deleted.name })}
          text={t('mapping.saved.remove.text')}
          confirm={t('mapping.saved.remove.confirm')}
          busy={t('mapping.saved.remove.busy')}
          onConfirm={async () => {
            const failed = await remove(deleted.id);
            return failed.error ? errorText(normalizeError(failed.error)) : undefined;
          }}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
}

interface MappingsProps {
  all: SavedMapping[];
  log: UploadLog;
  onApply: (id: string) => void;
  onRename: (mapping: SavedMapping) => void;
  onDelete: (mapping: SavedMapping) => void;
}

function Mappings({ all, log, ...actions }: MappingsProps) {
  const { t } = useTranslation('imports');
  const [words, setWords] = useState('');
  const wanted = words.trim().toLowerCase();
  const found = all.filter(({ name }) => name.toLowerCase().includes(wanted));
  const own = found.filter(({ source }) => source?.id === log.sourceId);
  const others = found.filter(({ source }) => source?.id !== log.sourceId);
  return (
    <div className="flex flex-col gap-5">
      {all.length >= SEARCHED_FROM && (
        <Input
          type="search"
          aria-label={t('mapping.saved.search')}
          placeholder={t('mapping.saved.search')}
          start={<Search aria-hidden className="size-4" />}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      )}
      {found.length === 0 && (
        <p role="status" className="text-sm text-muted">
          {t('mapping.saved.noMatch')}
        </p>
      )}
      {own.length > 0 && (
        <Group title={t('mapping.saved.ofSource', { name: log.source?.name })} mappings={own} {...actions} />
      )}
      {others.length > 0 && (
        <Group title={t('mapping.saved.ofOthers')} mappings={others} showsSource {...actions} />
      )}
    </div>
  );
}

interface GroupProps extends Omit<MappingsProps, 'all' | 'log'> {
  title: string;
  mappings: SavedMapping[];
  showsSource?: boolean;
}

function Group({ title, mappings, showsSource = false, onApply, onRename, onDelete }: GroupProps) {
  const { t } = useTranslation('imports');
  const heading = useId();
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading} className="px-2 text-xs font-medium text-muted">
        {title}
      </h3>
      <ul className="mt-1 flex flex-col divide-y divide-line">
        {mappings.map((mapping) => {
          const { id, name, source, columns, missing, savedBy, canChange } = mapping;
          const matched = columns - missing.length;
          return (
            <li key={id} className="flex items-start gap-1 py-1">
              <button
                type="button"
                disabled={matched === 0}
                className="min-w-0 flex-1 rounded-control px-2 py-1.5 text-start text-sm enabled:hover:bg-raised focus-visible:-outline-offset-2"
                onClick={() => onApply(id)}
              >
                <span className="block font-medium wrap-anywhere">{name}</span>
                <span className="block text-xs text-muted wrap-anywhere">
                  {t('mapping.saved.matched', { matched, count: columns })}
                  {missing.length > 0 && <> {t('mapping.saved.missing', { names: missing.join(', ') })}</>}
                </span>
                <span className="block text-xs text-muted wrap-anywhere">
                  {showsSource && source && <>{t('mapping.saved.source', { name: source.name })} </>}
                  {t('mapping.saved.by', { name: savedBy })} <Use mapping={mapping} />
                </span>
              </button>
              {canChange && (
                <DropdownMenu>
                  <DropdownMenuTrigger asChild>
                    <IconButton icon={EllipsisVertical} label={t('mapping.saved.actions', { name })} />
                  </DropdownMenuTrigger>
                  <DropdownMenuContent>
                    <DropdownMenuItem icon={Pencil} onSelect={() => onRename(mapping)}>
                      {t('mapping.saved.rename')}
                    </DropdownMenuItem>
                    <DropdownMenuItem icon={Trash2} danger onSelect={() => onDelete(mapping)}>
                      {t('mapping.saved.delete')}
                    </DropdownMenuItem>
                  </DropdownMenuContent>
                </DropdownMenu>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Use({ mapping: { usedCount, lastUsedAt } }: { mapping: SavedMapping }) {
  const { t } = useTranslation('imports');
  if (lastUsedAt === null) return t('mapping.saved.unused');
  return (
    <>
      {t('mapping.saved.used', { count: usedCount })} <DateTime instant={lastUsedAt} show="ago" inline />
    </>
  );
}
