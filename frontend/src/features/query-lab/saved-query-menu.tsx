import { Bookmark, Pencil, Plus, Save, Trash2, UserRound, Users } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText, normalizeError } from '@/data/errors';
import { SavedViewDialog } from '@/list/saved-view-dialog';
import { IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { toast } from '@/ui/toast';
import type { TabSaved } from './use-lab';
import { type SavedQuery, useSaveQuery } from './use-saved-queries';

interface Props {
  /** The query in the editor. */
  text: string;
  /** Whether the text can be saved. */
  isValid: boolean;
  /** The user's saved query that is open. */
  open: SavedQuery | undefined;
  /** Links the tab to a saved query, or to none. */
  onLink: (saved: TabSaved | undefined) => void;
}

const TOAST = 'saved-query';

/** Menu to save the query, and to change, share or delete the saved query that is open. */
export function SavedQueryMenu({ text, isValid, open, onLink }: Props) {
  const { t } = useTranslation('query-lab');
  const { create, update, remove } = useSaveQuery();
  const [asking, setAsking] = useState<'new' | 'name'>();

  async function saveNew(name: string) {
    const { data, error } = await create(name, text, false);
    if (error) return normalizeError(error);
    if (data) onLink({ id: data.createSavedView.id, name, isOwn: true });
    toast.success(t('saved.done', { name }), { id: TOAST });
    return undefined;
  }

  async function change(query: SavedQuery, done: 'updated' | 'nowShared' | 'nowPrivate') {
    const { error } = await update(query);
    if (error) toast.error(errorText(normalizeError(error)), { id: TOAST });
    else toast.success(t(`saved.${done}`, { name: query.name }), { id: TOAST });
  }

  async function rename(query: SavedQuery, name: string) {
    const { error } = await update({ ...query, name });
    return error ? normalizeError(error) : undefined;
  }

  async function undoDelete(query: SavedQuery) {
    const { data, error } = await create(query.name, query.text, query.shared);
    if (error || !data) {
      toast.error(errorText(normalizeError(error)), { id: TOAST });
      return;
    }
    onLink({ id: data.createSavedView.id, name: query.name, isOwn: true });
    toast.success(t('saved.restored', { name: query.name }), { id: TOAST });
  }

  async function deleteQuery(query: SavedQuery) {
    const { error } = await remove(query);
    if (error) {
      toast.error(errorText(normalizeError(error)), { id: TOAST });
      return;
    }
    onLink(undefined);
    toast.withAction(t('saved.deleted', { name: query.name }), {
      id: TOAST,
      label: t('saved.undo'),
      run: () => void undoDelete(query),
    });
  }

  return (
    <>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <IconButton icon={Bookmark} label={t('saved.menu')} variant="default" />
        </DropdownMenuTrigger>
        <DropdownMenuContent>
          <DropdownMenuItem icon={Plus} disabled={!isValid} onSelect={() => setAsking('new')}>
            {t('saved.saveNew')}
          </DropdownMenuItem>
          {open && (
            <>
              <DropdownMenuSeparator />
              <DropdownMenuLabel>{open.name}</DropdownMenuLabel>
              <DropdownMenuItem
                icon={Save}
                disabled={!isValid || open.text === text}
                onSelect={() => void change({ ...open, text }, 'updated')}
              >
                {t('saved.update')}
              </DropdownMenuItem>
              <DropdownMenuItem icon={Pencil} onSelect={() => setAsking('name')}>
                {t('saved.rename')}
              </DropdownMenuItem>
              <DropdownMenuItem
                icon={open.shared ? UserRound : Users}
                onSelect={() => void change({ ...open, shared: !open.shared }, open.shared ? 'nowPrivate' : 'nowShared')}
              >
                {t(open.shared ? 'saved.unshare' : 'saved.share')}
              </DropdownMenuItem>
              <DropdownMenuItem icon={Trash2} danger onSelect={() => void deleteQuery(open)}>
                {t('saved.delete')}
              </DropdownMenuItem>
            </>
          )}
        </DropdownMenuContent>
      </DropdownMenu>
      {asking === 'new' && (
        <SavedViewDialog
          title={t('saved.newTitle')}
          description={t('saved.newText')}
          onSave={saveNew}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === 'name' && open && (
        <SavedViewDialog
          title={t('saved.renameTitle', { name: open.name })}
          name={open.name}
          onSave={(name) => rename(open, name)}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  );
}
