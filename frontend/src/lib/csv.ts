// What may precede the sign of a formula. An apostrophe keeps it from being one, so it isn't among them.
const PADDING = String.raw`(?:(?![\t\r\n])[\p{White_Space}"＇\uFEFF])*`;
const SIGNS = '=+\\-@＝＋－＠﹦﹢﹣﹫';
const FORMULA = new RegExp(String.raw`^${PADDING}[${SIGNS}\t\r\n\0]`, 'u');
// A spreadsheet whose separator is not the comma may begin another cell here, also within quotes.
const FORMULA_INSIDE = new RegExp(String.raw`([;\t\r\n])(?=${PADDING}[${SIGNS}])`, 'gu');

/**
 * Puts an apostrophe before each part that a spreadsheet would read as a formula, at the same places as
 * `kit::text::with_apostrophes`. A formula behind an apostrophe stays as it is: cells of refused rows still have those
 * that an import removes.
 */
function withApostrophes(text: string): string {
  return (FORMULA.test(text) ? "'" : '') + text.replace(FORMULA_INSIDE, "$1'");
}

function cell(value: string): string {
  const safe = withApostrophes(value);
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns rows as CSV text, with CRLF line ends and neutralized formulas. A byte order mark makes Excel read UTF-8. */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return `\uFEFF${rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`;
}
