interface LookClasses {
  table: string;
  head: string;
  headRow: string;
  headCell: string;
  group: string;
  row: string;
  cell: string;
  /** Classes of cells that are row headers. */
  name: string;
  footRow: string;
}

const small = 'text-xs font-medium whitespace-nowrap text-muted';
const edge = 'first:ps-4 last:pe-4';
const none = { table: '', head: '', headRow: '', group: '', row: '', name: 'font-normal', footRow: '' };
/** A header strip, and a line above each row below it. */
const strip = { ...none, head: 'bg-raised', headCell: `h-9 px-3 ${small}`, row: 'border-t border-line' };

/** The looks of tables, by where they are used. */
export const looks = {
  /** Fields and their values inside a panel of details. */
  facts: {
    ...none,
    table: 'table-fixed',
    head: 'bg-raised',
    headCell: 'h-8 px-3 text-xs font-medium text-muted',
    row: 'border-t border-line',
    cell: 'px-3 py-2 align-top wrap-anywhere',
    name: 'font-normal text-muted',
  },
  /** As wide as a panel. */
  panel: {
    ...none,
    headRow: 'h-9 border-y border-line bg-raised text-xs whitespace-nowrap text-muted',
    headCell: `px-3 font-medium ${edge}`,
    row: 'h-9 border-b border-line whitespace-nowrap last:border-0',
    cell: `px-3 ${edge}`,
  },
  /** Fills a page below a sticky header. */
  page: {
    ...none,
    table: 'tabular-nums',
    head: 'sticky top-0 z-10',
    headCell: `h-9 bg-raised px-3 ${small}`,
    row: 'border-b border-line',
    cell: 'px-3 py-2 align-top whitespace-nowrap',
    name: 'font-medium',
  },
  /** Like `page`, in rows of one line. */
  dense: {
    ...none,
    table: 'tabular-nums',
    head: 'sticky top-0 z-10',
    headCell: `h-9 bg-raised px-2 first:ps-4 ${small}`,
    row: 'border-b border-line',
    cell: 'h-9 px-2 whitespace-nowrap first:ps-4',
    name: 'font-medium',
  },
  /** Items of a delivery. */
  items: { ...strip, cell: 'px-3 py-2' },
  /** Items with buttons. */
  actions: { ...strip, cell: 'px-3 py-1.5' },
  /** Items with inputs; the columns set the height. */
  inputs: { ...strip, table: 'table-fixed', headCell: `h-9 px-2 ${small}`, cell: 'px-2 align-top' },
  /** Sentences of several lines. */
  texts: { ...strip, cell: 'px-3 py-2 align-top', name: 'font-medium' },
  /** Like `texts`, with several rows about one thing. */
  groups: { ...strip, group: 'border-t border-line', row: '', cell: 'px-3 py-2 align-top' },
  /** Records that open on their own page. */
  records: {
    ...strip,
    headCell: `${strip.headCell} ${edge}`,
    row: 'h-10 border-t border-line hover:bg-raised',
    cell: `px-3 ${edge}`,
  },
  /** Rows of a query, scrolling below their header. */
  results: {
    ...none,
    headRow: 'text-xs text-muted',
    headCell: `sticky top-0 h-9 border-line bg-raised font-medium px-3 ${edge}`,
    row: 'h-9 border-b border-line last:border-0',
    cell: `px-3 ${edge}`,
  },
  /** The figures of a chart, with totals below. */
  figures: {
    ...none,
    headRow: 'text-xs',
    headCell: `sticky top-0 bg-raised px-3 py-2 align-bottom font-medium text-muted ${edge}`,
    row: 'h-8 border-t border-line',
    cell: `px-3 ${edge}`,
    name: 'font-normal whitespace-nowrap',
    footRow: 'h-8 border-t border-line2 font-semibold',
  },
} satisfies Record<string, LookClasses>;

export type TableLook = keyof typeof looks;
