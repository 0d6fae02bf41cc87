const field = (name: string, label: string, required = false) => ({
  __typename: 'ImportField',
  name,
  label,
  required,
  canDefault: name !== 'delivery_id',
  canJoin: name === 'customeraddress',
});
const column = (
  heading: string,
  examples: string[],
  proposed: string | null,
  confidence = proposed === null ? 'none' : 'exact',
  alternative: string | null = null,
) => ({ __typename: 'ImportColumn', heading, examples, field: proposed, confidence, alternative });
const row = (line: number, cells: string[]) => ({ __typename: 'ImportPreviewRow', line, cells });
const sheet = (name: string, chosen: boolean) => ({
  __typename: 'ImportSheet',
  name,
  chosen,
  headerLine: 1,
  rowCount: 2,
});

/** What a step asks the server. */
export interface Asked {
  sheet?: string;
  headerLine?: number;
  choices?: {
    fields: (string | null)[];
    dateOrder: string | null;
    defaults: { field: string; value: string }[];
    savedMapping?: string;
  };
  items?: { sheet: string; headerLine?: number; fields?: (string | null)[] };
}

/** Answers like the server for a workbook with a title row above its header. */
export function importMapping({ sheet: asked = 'Notes', headerLine = 2, choices, items }: Asked, dryRun: boolean) {
  const first = headerLine === 1;
  const dayFirst = choices?.dateOrder === 'dmy';
  const [month, day] = ['March 4, 2026', 'April 3, 2026'];
  const dated = choices?.fields.includes('scheduledate') ?? false;
  return {
    __typename: 'ImportMapping',
    sheets: [sheet('Notes', asked === 'Notes'), sheet('Orders', asked === 'Orders')],
    headerLine,
    rowCount: 2,
    rows: [row(1, ['Orders of Monday']), row(2, ['Beleg', 'Datum', 'Color'])],
    chosen: choices && choices.fields.length > 0 ? choices.fields : (first ? [null] : ['delivery_id', null, null]),
    columns: first
      ? [column('Orders of Monday', ['Beleg'], null)]
      : [
          column('Beleg', ['DR-1', 'DR-2'], 'delivery_id', 'check', 'Reference Doc'),
          column('Datum', ['03/04/2026'], null),
          column('', [], null),
        ],
    fields: [
      field('delivery_id', 'Delivery Doc', true),
      field('scheduledatetime', 'Dispatch Date and Time', true),
      field('scheduledate', 'Dispatch Date'),
      field('customeraddress', 'Customer Address'),
      field('sku', 'SKU'),
    ],
    dryRun,
    dateOrder: choices?.dateOrder ?? null,
    decimalSign: null,
    defaults: (choices?.defaults ?? []).map((it) => ({ __typename: 'ImportDefault', ...it })),
    readings: dated
      ? [
          {
            __typename: 'ImportColumnReading',
            column: 1,
            heading: 'Datum',
            reading: dayFirst ? 'day_first' : 'month_first',
            depends: true,
            examples: [
              {
                __typename: 'ImportReadingExample',
                value: '03/04/2026',
                chosen: dayFirst ? day : month,
                other: dayFirst ? month : day,
              },
            ],
          },
        ]
      : [],
    firstRow: {
      __typename: 'ImportFirstRow',
      line: 3,
      values: [
        {
          __typename: 'ImportFirstRowValue',
          field: 'delivery_id',
          label: 'Delivery Doc',
          text: 'DR-1',
          problem: null,
        },
      ],
    },
    items: items?.sheet
      ? {
          __typename: 'ImportItems',
          sheet: items.sheet,
          headerLine: items.headerLine ?? 1,
          rowCount: 2,
          rows: [row(1, ['Beleg', 'Artikel']), row(2, ['DR-1', 'A-7'])],
          columns: [column('Beleg', ['DR-1'], 'delivery_id'), column('Artikel', ['A-7'], null)],
          chosen: items.fields ?? ['delivery_id', null],
        }
      : null,
    problem: choices?.defaults.some(({ value }) => value === 'soon') ? 'Not a date.' : null,
    savedMapping: null as object | null,
    warnings: [] as object[],
  };
}
