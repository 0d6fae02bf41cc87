// Cells as spreadsheets put them on the clipboard: separated by tabs, rows by line ends. Only a cell that has a
// separator in it is quoted, so a quote within an unquoted cell is text: 5" pipe.

/** A cell and the separator after it. Where a quoted cell does not end at its closing quote, the quotes are text. */
const CELL = /(?:"((?:[^"]|"")*)"|([^\t\n]*))(\t|\n|$)/g;

/** Reads rows of cells; line ends within cells become \n. A line end after the last row begins no further row. */
export function readTsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.replace(/\r\n?/g, '\n').replace(/\n$/, '').matchAll(CELL)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '') break;
    if (end === '\n') rows.push([]);
  }
  return rows;
}

/** Writes a cell. One that begins with a quote is quoted as well, so that its quotes stay. */
export function tsvCell(value: string): string {
  return /^"|[\t\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
