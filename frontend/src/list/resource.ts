import type { Client, TypedDocumentNode } from '@urql/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { TextKey } from '@/i18n/texts';
import type { DatePreset } from './date-values';
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

export type CellKind = 'text' | 'id-link' | 'datetime' | 'status' | 'number';

/** Whether cells of this kind are aligned at the end, so that their digits are below one another. */
export const alignsAtEnd = (kind: CellKind) => kind === 'number' || kind === 'datetime';

/** Position of a column on the three-line card of a narrow screen. */
export type CardSlot = 'title' | 'badge' | 'second' | 'second-end' | 'third' | 'third-end';

export interface ListColumn<Row> {
  id: string;
  labelKey: TextKey;
  kind: CellKind;
  value: (row: Row) => string | number | null | undefined;
  /** Renders the cell in place of plain text, for example as a chip; for an id-link, the link text. */
  render?: (row: Row) => ReactNode;
  /** For an id-link: the content before the link. `secondary` is the line below the link. */
  lead?: (row: Row) => ReactNode;
  secondary?: (row: Row) => ReactNode;
  /** The text of an empty value; number columns show a dash. */
  emptyKey?: TextKey;
  /** The text on a card; receives `value`, and `count` for numbers. */
  cardTextKey?: TextKey;
  cardSlot?: CardSlot;
  sortable?: boolean;
  /** Minimum width in pixels. */
  width: number;
  /** Share of the remaining width; without it the column keeps its width. */
  grow?: number;
  /** Order of hiding when columns do not fit, highest number first; without it the column stays. */
  priority?: number;
  /** Whether the column is always visible and always comes first. */
  locked?: boolean;
  /** Hidden until the user shows it. */
  initiallyHidden?: boolean;
  muted?: boolean;
}

export interface Lookup {
  limit: number;
  /** The signal is aborted once nobody waits for the options any more. */
  search: (client: Client, text: string, limit: number, signal?: AbortSignal) => Promise<FilterValue[]>;
}

interface FilterFieldBase {
  key: string;
  /** Field name on the server, if it differs from the key. */
  path?: string;
  operators: readonly [FilterOperator, ...FilterOperator[]];
  /** Can be set by links only; not offered in the filter menu. */
  linkOnly?: boolean;
}

/** The label is a translation key, or a text from the server. */
type FilterLabel = { labelKey: TextKey; label?: undefined } | { labelKey?: undefined; label: string };

export type FilterField = FilterFieldBase &
  FilterLabel &
  (
    | { kind: 'text'; lookup?: Lookup }
    | { kind: 'lookup'; lookup: Lookup }
    | { kind: 'enum' | 'yes-no'; options: readonly FilterOption[] }
    | {
        kind: 'date-range';
        /** The presets that can be chosen; all of them by default. */
        presets?: readonly DatePreset[];
        /** Whether the filter asks for times of day, not only for days. */
        times?: boolean;
      }
  );

export interface FilterOption {
  value: string;
  labelKey: TextKey;
}

export interface ListView {
  id: string;
  labelKey: TextKey;
  filters: Filter[];
  /**
   * Whether the view is independent of the others and filters by fields of its own. Views that are not standing are
   * alternatives to each other and filter by the same fields, such as the status.
   */
  standing?: boolean;
}

export interface Resource<Row, Data = unknown> {
  /** Key of the list in storage; not shown. */
  name: string;
  /** The GraphQL type of the rows. With it, an empty list refetches after a mutation that creates the first row. */
  typename: string;
  document: TypedDocumentNode<Data, ListVariables>;
  toList: (data: Data) => ListData<Row>;
  rowId: (row: Row) => string;
  /** The page of the row, if any. */
  rowHref?: (row: Row) => string;
  /** Whether rows are high enough for a second line. */
  twoLines?: boolean;
  columns: readonly ListColumn<Row>[];
  filters: readonly FilterField[];
  /** Conditions that all rows of the list meet, whatever its filters. */
  where?: readonly WhereFilter[];
  views: readonly ListView[];
  /** Other fields to search when the quick search finds nothing; `key` is the field it searches. */
  searchElsewhere?: { key: string; others: readonly string[] };
  /** Query of the counts for the view tabs. It has one field and one variable per view, named by the view's ID. */
  viewCounts?: TypedDocumentNode<Record<string, ListCount>, Record<string, WhereFilter[]>>;
  /** Whether views can be saved. The server must know the list by its `name`. */
  savesViews?: boolean;
  /** Subscription that signals changed rows; the list then refetches. */
  changes?: TypedDocumentNode;
  /** Polling interval in milliseconds, for lists without a subscription. */
  pollInterval?: number;
  defaultSort: readonly SortEntry[];
  texts: ResourceTexts;
}

/** Actions of a single row in the list. */
export interface RowActions<Row> {
  /** Width of the column with the actions, in pixels. */
  width: number;
  /** Position on a card: a menu beside the text, or a labeled button below it. */
  onCard: 'beside' | 'below';
  /** Must be stable between renders, since rows are memoized. */
  render: (row: Row) => ReactNode;
}

/** How rows without their own page are opened. */
export interface RowOpening<Row> {
  open: (row: Row) => void;
  /** The currently open row. */
  openId: string | undefined;
}

/** An action on selected rows. A list with such actions has checkboxes. */
export interface BulkAction<Row = never> {
  id: string;
  labelKey: TextKey;
  icon: LucideIcon;
  /** Single-key shortcut while rows are selected. */
  shortcut: string;
  /** Whether the action applies to a row. Other rows are skipped, and the bar shows how many the action applies to. */
  fits: (row: Row) => boolean;
  /** Rendered while the action is open: input, progress and result. */
  dialog: (props: BulkDialogProps<Row>) => ReactNode;
  /** The dialog for all rows that match the filters. Without it, the action works on selected rows only. */
  dialogOfAll?: (props: BulkAllProps) => ReactNode;
}

export interface BulkAllProps {
  where: readonly WhereFilter[];
  /** Clears the selection. */
  onDone: () => void;
  onClose: () => void;
}

export interface BulkDialogProps<Row = unknown> {
  ids: readonly string[];
  /** The selected rows, as they were when they were loaded. */
  rows: readonly Row[];
  /** Replaces the selection. */
  onSelect: (ids: readonly string[]) => void;
  onClose: () => void;
}

/** Maximum number of ids in a bulk mutation. */
export const MAX_SELECTED = 1000;

/** What the list currently shows, for actions on the whole list. */
export interface ListShown {
  filters: Filter[];
  sort: SortEntry[];
  count: ListCount | undefined;
  /** Ids of the selected rows; empty if all matching rows are selected. */
  selected: readonly string[];
}

/** A search box for one field that filters while typing. */
export interface FindField {
  /** The field that gets the "contains" filter. */
  key: string;
  labelKey: TextKey;
}

/** Keys of the texts that name the kind of record. */
export interface ResourceTexts {
  /** The text has the placeholders `count` and `shown`. */
  count: TextKey;
  /** Like `count`, for a count that the server stopped at its limit. */
  countOver: TextKey;
  tableName: TextKey;
  emptyTitle: TextKey;
  emptyText: TextKey;
  noMatchTitle: TextKey;
}

export const PAGE_SIZES = [25, 50, 100] as const;
export const DEFAULT_PAGE_SIZE = 25;

/** Returns the definition unchanged. Lets TypeScript infer its types. */
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

/** Operators for optional text fields. */
export const OPTIONAL_TEXT_OPERATORS = [...TEXT_OPERATORS, ...EMPTY_OPERATORS] as const;
export const OPTIONAL_CHOICE_OPERATORS = [...CHOICE_OPERATORS, ...EMPTY_OPERATORS] as const;
export const OPTIONAL_RANGE_OPERATORS = [...RANGE_OPERATORS, ...EMPTY_OPERATORS] as const;
