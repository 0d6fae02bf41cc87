import { Bookmark, Link2, Pencil, Plus, Save, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'react-router';
import { errorText, normalizeError } from '@/data/errors';
import { useWhileHere } from '@/routing/use-while-here';
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
import type { Resource } from './resource';
import { SavedViewDialog } from './saved-view-dialog';
import {
  type SavedView,
  useSavedViews,
  useSaveView,
  VIEW_PARAMETER,
  viewAddress,
  type ViewState,
  writeViewState,
} from './saved-views';

interface Props<Row, Data> {
  resource: Resource<Row, Data>;
  /** The current state of the list. */
  state: ViewState;
}

const TOAST = 'saved-view';

/** Menu to save the current list as a view, or to update the open view. */
export function SavedViewsMenu<Row, Data>({ resource, state }: Props<Row, Data>) {
  const { t } = useTranslation('list');
  const { pathname } = useLocation();
  const [params, setParams] = useSearchParams();
  const whileHere = useWhileHere();
  const views = useSavedViews(resource);
  const { create, update, remove } = useSaveView();
  const [asking, setAsking] = useState<'new' | 'name'>();
  const list = resource.name;
  const text = writeViewState(state);
  const open = views.find(({ id }) => id === params.get(VIEW_PARAMETER));
  const isChanged = open !== undefined && writeViewState(open.state) !== text;

  function show(view: string) {
    void whileHere(() => setParams(view, { replace: true, preventScrollReset: true }));
  }

  async function saveNew(name: string) {
    const { data, error } = await create(list, name, text);
    if (error) return normalizeError(error);
    if (data) show(viewAddress(state, resource, data.createSavedView.id));
    toast.success(t('savedViews.saved', { name }), { id: TOAST });
    return undefined;
  }

  async function rename(view: SavedView, name: string) {
    const { error } = await update(view, list, name, view.text);
    return error ? normalizeError(error) : undefined;
  }

  async function updateState(view: SavedView) {
    const { error } = await update(view, list, view.name, text);
    if (error) toast.error(errorText(normalizeError(error)), { id: TOAST });
    else toast.success(t('savedViews.updated', { name: view.name }), { id: TOAST });
  }

  async function undoDelete(view: SavedView) {
    const { error } = await create(list, view.name, view.text);
    if (error) toast.error(errorText(normalizeError(error)), { id: TOAST });
    else toast.success(t('savedViews.restored', { name: view.name }), { id: TOAST });
  }

  async function deleteView(view: SavedView) {
    const { error } = await remove(view);
    if (error) {
      toast.error(errorText(normalizeError(error)), { id: TOAST });
      return;
    }
    toast.withAction(t('savedViews.deleted', { name: view.name }), {
      id: TOAST,
      label: t('savedViews.undo'),
      run: () => void undoDelete(view),
    });
  }

  async function copyLink() {
    const link = new URL(`${pathname}?${viewAddress(state, resource)}`, window.location.origin);
    try {
      await navigator.clipboard.writeText(link.href);
      toast.success(t('savedViews.copied'), { id: TOAST });
    } catch {
      toast.error(t('savedViews.notCopied'), { id: TOAST });
    }
  }

  return (
    <>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <IconButton icon={Bookmark} label={t('savedViews.title')} variant="default" />
        </DropdownMenuTrigger>
        <DropdownMenuContent>
          <DropdownMenuItem icon={Plus} onSelect={() => setAsking('new')}>
            {t('savedViews.saveNew')}
          </DropdownMenuItem>
          <DropdownMenuItem icon={Link2} onSelect={() => void copyLink()}>
            {t('savedViews.copyLink')}
          </DropdownMenuItem>
          {open && (
            <>
              <DropdownMenuSeparator />
              <DropdownMenuLabel>{open.name}</DropdownMenuLabel>
              <DropdownMenuItem
                icon={Save}
                disabled={!isChanged}
                onSelect={() => void updateState(open)}
              >
                {t('savedViews.update')}
              </DropdownMenuItem>
              <DropdownMenuItem icon={Pencil} onSelect={() => setAsking('name')}>
                {t('savedViews.rename')}
              </DropdownMenuItem>
              <DropdownMenuItem icon={Trash2} danger onSelect={() => void deleteView(open)}>
                {t('savedViews.delete')}
              </DropdownMenuItem>
            </>
          )}
        </DropdownMenuContent>
      </DropdownMenu>
      {asking === 'new' && (
        <SavedViewDialog
          title={t('savedViews.newTitle')}
          description={t('savedViews.newText')}
          onSave={saveNew}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === 'name' && open && (
        <SavedViewDialog
          title={t('savedViews.renameTitle', { name: open.name })}
          name={open.name}
          onSave={(name) => rename(open, name)}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  );
}
