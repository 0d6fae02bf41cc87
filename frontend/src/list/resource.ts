import type { Client, TypedDocumentNode } from '@urql/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Filter, FilterOperator, FilterValue } from './filters-codec';

export interface WhereFilter {
  key: string;
  operator: FilterOperator;
  values: string[];
}

export interface SortEntry {
  key: string;
  direction: 'asc' | 'desc';
}

export interface ListVariables {
  page: { where: WhereFilter[]; sort: SortEntry[]; limit: number; offset: number };
  where: WhereFilter[];
}

export interface ListCount {
  total: number;
  /** False when the server stopped counting at its limit. */
  exact: boolean;
}

export interface ListData<Row> {
  rows: Row[];
  count: ListCount;
}

export type CellKind = 'text' | 'id-link' | 'datetime' | 'status' | 'number' | 'boolean-label';

/** Position of a column on the three-line card of a narrow screen. */
export type CardSlot = 'title' | 'badge' | 'second' | 'second-end' | 'third' | 'third-end';

export interface ListColumn<Row> {
  id: string;
  /** Translation key of the label, with its namespace. */
  labelKey: string;
  kind: CellKind;
  value: (row: Row) => string | number | null | undefined;
  /** Renders the cell in place of plain text, for example as a chip; for an id-link, the link text. */
  render?: (row: Row) => ReactNode;
  /** For an id-link: the content before it and the line below it. */
  lead?: (row: Row) => ReactNode;
  secondary?: (row: Row) => ReactNode;
  /** Translation key for an empty value; number columns show a dash. */
  emptyKey?: string;
  /** Translation key of the text on a card; receives `value`, and `count` for numbers. */
  cardTextKey?: string;
  cardSlot?: CardSlot;
  sortable?: boolean;
  /** Minimum width in pixels. */
  width: number;
  /** Share of the remaining width; columns without one keep their width. */
  grow?: number;
  /** Priority for hiding columns that do not fit, highest number first; columns without one stay. */
  priority?: number;
  /** Always visible, and first. */
  locked?: boolean;
  /** Hidden until the user shows it. */
  initiallyHidden?: boolean;
  muted?: boolean;
}

export interface Lookup {
  limit: number;
  search: (client: Client, text: string, limit: number) => Promise<FilterValue[]>;
}

interface FilterFieldBase {
  key: string;
  /** Field name on the server, if it differs from the key. */
  path?: string;
  labelKey: string;
  /** Label that comes from the server; otherwise `labelKey` is used. */
  label?: string;
  operators: readonly [FilterOperator, ...FilterOperator[]];
  /** Set by links only; not offered in the filter menu. */
  linkOnly?: boolean;
}

export type FilterField = FilterFieldBase &
  (
    | { kind: 'text'; lookup?: Lookup }
    | { kind: 'lookup'; lookup: Lookup }
    | { kind: 'enum' | 'yes-no'; options: readonly FilterOption[] }
    | {
        kind: 'date-range';
        /** Asks for times of day as well. */
        times?: boolean;
      }
  );

export interface FilterOption {
  value: string;
  labelKey: string;
}

export interface ListView {
  id: string;
  labelKey: string;
  filters: Filter[];
  /**
   * A question of its own, on any fields. Views without it share fields, such as the statuses, and are a choice
   * among the values of these.
   */
  standing?: boolean;
}

export interface Resource<Row, Data = unknown> {
  /** Names the list in storage; never shown. */
  name: string;
  /** Refetches an empty list after a mutation that creates the first entity. */
  typename: string;
  document: TypedDocumentNode<Data, ListVariables>;
  toList: (data: Data) => ListData<Row>;
  rowId: (row: Row) => string;
  /** The page of the row, if it has one. */
  rowHref?: (row: Row) => string;
  /** Rows have a second line, and the height for it. */
  twoLines?: boolean;
  columns: readonly ListColumn<Row>[];
  filters: readonly FilterField[];
  views: readonly ListView[];
  /** Where else the text of a quick search may be found, offered when it finds nothing: by the key it looks in. */
  searchElsewhere?: { key: string; others: readonly string[] };
  /** Counts for the tabs of the views: a field and a variable for each, named after it. */
  viewCounts?: TypedDocumentNode<Record<string, ListCount>, Record<string, WhereFilter[]>>;
  /** People save views of this list; the server knows its fields by the list's name. */
  savesViews?: boolean;
  /** Says that a row changed elsewhere; the list then reads its rows again. */
  changes?: TypedDocumentNode;
  /** Reads the rows again every so many milliseconds, for lists without a subscription. */
  pollInterval?: number;
  defaultSort: readonly SortEntry[];
  texts: ResourceTexts;
}

/** What can be done with a row where it stands. */
export interface RowActions<Row> {
  /** Of the column they stand in. */
  width: number;
  /** Where they stand on a card: a menu beside its lines, a button with words below them. */
  onCard: 'beside' | 'below';
  /** Kept by its owner between renders, as rows are memoised. */
  render: (row: Row) => ReactNode;
}

/** How a row opens that has no page of its own. */
export interface RowOpening<Row> {
  open: (row: Row) => void;
  /** The row that is open. */
  openId: string | undefined;
}

/** What can be done with the selected rows. A list that is given any has a box before each row. */
export interface BulkAction<Row = never> {
  id: string;
  labelKey: string;
  icon: LucideIcon;
  /** Single key that opens it while rows are selected. */
  shortcut: string;
  /** Whether a row takes it; the others of the selection are left out, and the bar says how many fit. */
  fits: (row: Row) => boolean;
  /** Drawn while the action is open: it asks what it must know, does it and says what came of it. */
  dialog: (props: BulkDialogProps<Row>) => ReactNode;
  /** The same for all rows that match, by the filters; without it the action is for selected rows alone. */
  dialogOfAll?: (props: BulkAllProps) => ReactNode;
}

export interface BulkAllProps {
  where: readonly WhereFilter[];
  /** Leaves nothing selected. */
  onDone: () => void;
  onClose: () => void;
}

export interface BulkDialogProps<Row = unknown> {
  ids: readonly string[];
  /** The same as they were read. */
  rows: readonly Row[];
  /** Leaves these selected and no others. */
  onSelect: (ids: readonly string[]) => void;
  onClose: () => void;
}

/** More ids are taken by no bulk mutation. */
export const MAX_SELECTED = 1000;

/** What a list shows, for what is done with all of it. */
export interface ListShown {
  filters: Filter[];
  sort: SortEntry[];
  count: ListCount | undefined;
}

/** A box that finds by one field while one types. */
export interface FindField {
  /** The field that gets the contains filter. */
  key: string;
  /** Key of its label, with its namespace. */
  labelKey: string;
}

/** Keys of the texts that name the entity. */
export interface ResourceTexts {
  /** Given `count` and `shown`. */
  count: string;
  /** The same with a count the server stopped at. */
  countOver: string;
  tableName: string;
  emptyTitle: string;
  emptyText: string;
  noMatchTitle: string;
}

export const PAGE_SIZES = [25, 50, 100] as const;
export const DEFAULT_PAGE_SIZE = 25;

/** Gives a definition its inferred types. */
export function defineResource<Row, Data>(resource: Resource<Row, Data>): Resource<Row, Data> {
  return resource;
}

export const TEXT_OPERATORS = [
  'contains',
  '!contains',
  'equals',
  '!equals',
  'startsWith',
  'endsWith',
] as const satisfies readonly FilterOperator[];

export const CHOICE_OPERATORS = ['equals', '!equals'] as const satisfies readonly FilterOperator[];
export const RANGE_OPERATORS = ['inDateRange'] as const satisfies readonly FilterOperator[];

const EMPTY_OPERATORS = ['isEmpty', '!isEmpty'] as const satisfies readonly FilterOperator[];

/** The same for fields that can be empty. */
export const OPTIONAL_TEXT_OPERATORS = [...TEXT_OPERATORS, ...EMPTY_OPERATORS] as const;
export const OPTIONAL_CHOICE_OPERATORS = [...CHOICE_OPERATORS, ...EMPTY_OPERATORS] as const;
export const OPTIONAL_RANGE_OPERATORS = [...RANGE_OPERATORS, ...EMPTY_OPERATORS] as const;
