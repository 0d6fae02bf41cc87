// Spreadsheets interpret a cell that starts with one of these as a formula.
const FORMULA_START = /^\s*[=+\-@＝＋－＠﹦﹢﹣﹫]|^[\t\r]/;

function cell(value: string): string {
  const safe = FORMULA_START.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns rows as CSV text, with CRLF line ends and neutralized formulas. A byte order mark makes Excel read UTF-8. */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return `\uFEFF${rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`;
}
