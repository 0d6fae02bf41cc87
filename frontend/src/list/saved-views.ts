import { useMemo } from 'react';
import * as v from 'valibot';
import { useMutation, useQuery } from 'urql';
import { graphql } from '@/data/graphql';
import { type Filter, readFilters } from './filters-codec';
import { type ListShape, writeListState } from './list-state';
import { DEFAULT_PAGE_SIZE, type Resource, type SortEntry } from './resource';
import {
  COLUMNS_PARAMETER,
  columnsSchema,
  type ColumnSettings,
  encodeColumns,
  reconcile,
} from './use-column-settings';

const savedViewsQuery = graphql(`
  query SavedViews($list: String!) {
    savedViews(list: $list) {
      id
      name
      state
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

/** What a saved view keeps. Page, page size and row height stay with whoever looks. */
export interface ViewState {
  filters: Filter[];
  sort: SortEntry[];
  columns: ColumnSettings;
}

export interface SavedView {
  id: string;
  name: string;
  version: number;
  /** As the server has it. */
  text: string;
  state: ViewState;
}

/** The parameter of an address that says of which view it is; it changes nothing of what is shown. */
export const VIEW_PARAMETER = 'view';

type ViewShape = Pick<ListShape, 'defaultSort'> & Pick<Resource<never>, 'columns'>;

const stateSchema = v.object({
  filters: v.unknown(),
  sort: v.array(v.object({ key: v.string(), direction: v.picklist(['asc', 'desc']) })),
  columns: columnsSchema,
});

/** Writes a state as the server keeps it; two that show the same are the same text. */
export function writeViewState({ filters, sort, columns }: ViewState): string {
  const widths = Object.entries(columns.widths).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const { order, hidden, pinned } = columns;
  return JSON.stringify({
    filters: filters.map(({ key, operator, values }) => ({
      key,
      operator,
      values: values.map(({ label, value }) => ({ label, value })),
    })),
    sort: sort.map(({ key, direction }) => ({ key, direction })),
    columns: { order, hidden, pinned, widths: Object.fromEntries(widths) },
  });
}

/** Reads a state that may come from an older release; nothing when it can't be used at all. */
export function readViewState(text: string, { columns }: Pick<ViewShape, 'columns'>): ViewState | undefined {
  try {
    const state = v.parse(stateSchema, JSON.parse(text));
    const { filters } = readFilters(state.filters);
    return { filters, sort: state.sort, columns: reconcile(state.columns, columns) };
  } catch {
    return undefined;
  }
}

/** The whole state stands in the address, so its link shows anybody the same, whatever becomes of the view. */
export function viewAddress(state: ViewState, shape: ViewShape, id?: string): string {
  const { filters, sort, columns } = state;
  const list = { filters, sort, limit: DEFAULT_PAGE_SIZE, offset: 0 };
  const params = writeListState(new URLSearchParams(), list, shape);
  params.set(COLUMNS_PARAMETER, encodeColumns(columns));
  if (id !== undefined) params.set(VIEW_PARAMETER, id);
  return params.toString();
}

const context = { additionalTypenames: ['SavedView'] };
const NONE: SavedView[] = [];

/** The views of a list that the signed-in person saved, by name. The list works without when they can't be read. */
export function useSavedViews<Row, Data>(resource: Resource<Row, Data>): SavedView[] {
  const { name, savesViews = false, columns } = resource;
  const [{ data }] = useQuery({
    query: savedViewsQuery,
    variables: { list: name },
    pause: !savesViews,
    context,
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

export function useSaveView() {
  const [, create] = useMutation(createSavedViewMutation);
  const [, update] = useMutation(updateSavedViewMutation);
  const [, remove] = useMutation(deleteSavedViewMutation);
  return {
    create: (creationId: string, list: string, name: string, state: string) =>
      create({ input: { creationId, savedView: { name, list, state } } }, context),
    update: ({ id, version }: SavedView, list: string, name: string, state: string) =>
      update({ input: { id, version, savedView: { name, list, state } } }, context),
    remove: ({ id, version }: SavedView) => remove({ input: { id, version } }, context),
  };
}
