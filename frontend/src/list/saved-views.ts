import { useMemo, useRef } from 'react';
import * as v from 'valibot';
import { useMutation, useQuery } from 'urql';
import { graphql } from '@/data/graphql';
import { useEventId } from '@/form/use-save';
import { type Filter, readFilters, writeFilters } from './filters-codec';
import { type ListShape, writeListState } from './list-state';
import { DEFAULT_PAGE_SIZE, type Resource, type SortEntry } from './resource';
import {
  COLUMNS_PARAMETER,
  columnsSchema,
  type ColumnSettings,
  encodeColumns,
  reconcile,
} from './use-column-settings';

export const savedViewsQuery = graphql(`
  query SavedViews($list: String!) {
    savedViews(list: $list) {
      id
      name
      state
      shared
      owner
      isOwn
      version
    }
  }
`);

const createSavedViewMutation = graphql(`
  mutation CreateSavedView($input: CreateSavedViewInput!) {
    createSavedView(input: $input) {
      id
      name
      state
      version
    }
  }
`);

const updateSavedViewMutation = graphql(`
  mutation UpdateSavedView($input: UpdateSavedViewInput!) {
    updateSavedView(input: $input) {
      id
      name
      state
      version
    }
  }
`);

const deleteSavedViewMutation = graphql(`
  mutation DeleteSavedView($input: DeleteSavedViewInput!) {
    deleteSavedView(input: $input)
  }
`);

/** The state stored in a saved view. Page, page size and row height are not part of it. */
export interface ViewState {
  filters: Filter[];
  sort: SortEntry[];
  columns: ColumnSettings;
}

export interface SavedView {
  id: string;
  name: string;
  version: number;
  /** The state as stored on the server. */
  text: string;
  state: ViewState;
}

/** URL parameter with the id of the open view; it does not affect the rows. */
export const VIEW_PARAMETER = 'view';

type ViewShape = Pick<ListShape, 'defaultSort'> & Pick<Resource<never>, 'columns'>;

const stateSchema = v.object({
  filters: v.unknown(),
  sort: v.array(v.object({ key: v.string(), direction: v.picklist(['asc', 'desc']) })),
  columns: columnsSchema,
});

/** Serializes a state canonically: equal states give equal strings. */
export function writeViewState({ filters, sort, columns }: ViewState): string {
  const widths = Object.entries(columns.widths).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const { order, hidden, pinned } = columns;
  return JSON.stringify({
    filters: writeFilters(filters),
    sort: sort.map(({ key, direction }) => ({ key, direction })),
    columns: { order, hidden, pinned, widths: Object.fromEntries(widths) },
  });
}

/** Parses a stored state, possibly from an older release; undefined if unusable. */
export function readViewState(text: string, { columns }: Pick<ViewShape, 'columns'>): ViewState | undefined {
  try {
    const state = v.parse(stateSchema, JSON.parse(text));
    const { filters } = readFilters(state.filters);
    return { filters, sort: state.sort, columns: reconcile(state.columns, columns) };
  } catch {
    return undefined;
  }
}

/** The URL of a view contains its whole state, so that links keep working for anyone, even after the view changes. */
export function viewAddress(state: ViewState, shape: ViewShape, id?: string): string {
  const { filters, sort, columns } = state;
  const list = { filters, sort, limit: DEFAULT_PAGE_SIZE, offset: 0 };
  const params = writeListState(new URLSearchParams(), list, shape);
  params.set(COLUMNS_PARAMETER, encodeColumns(columns));
  if (id !== undefined) params.set(VIEW_PARAMETER, id);
  return params.toString();
}

export const savedViewsContext = { additionalTypenames: ['SavedView'] };
const NONE: SavedView[] = [];

/** The user's saved views of a list. If loading fails, the list works without them. */
export function useSavedViews<Row, Data>(resource: Resource<Row, Data>): SavedView[] {
  const { name, savesViews = false, columns } = resource;
  const [{ data }] = useQuery({
    query: savedViewsQuery,
    variables: { list: name },
    pause: !savesViews,
    context: savedViewsContext,
  });
  return useMemo(
    () =>
      data?.savedViews.flatMap((view): SavedView[] => {
        const state = readViewState(view.state, { columns });
        return state ? [{ id: view.id, name: view.name, version: view.version, text: view.state, state }] : [];
      }) ?? NONE,
    [data, columns],
  );
}

type Version = Pick<SavedView, 'id' | 'version'>;

export function useSaveView() {
  const [, create] = useMutation(createSavedViewMutation);
  const [, update] = useMutation(updateSavedViewMutation);
  const [, remove] = useMutation(deleteSavedViewMutation);
  const creationId = useEventId();
  /** Number of views created here, so that saving the same again is not a retry. */
  const created = useRef(0);
  return {
    create: async (list: string, name: string, state: string, shared = false) => {
      const savedView = { name, list, state, shared };
      const input = { creationId: creationId([savedView, created.current]), savedView };
      const answer = await create({ input }, savedViewsContext);
      if (answer.data) created.current += 1;
      return answer;
    },
    update: ({ id, version }: Version, list: string, name: string, state: string, shared = false) =>
      update({ input: { id, version, savedView: { name, list, state, shared } } }, savedViewsContext),
    remove: ({ id, version }: Version) => remove({ input: { id, version } }, savedViewsContext),
  };
}
