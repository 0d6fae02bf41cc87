// Creates a workbook with one sheet of text and number cells. The app loads this module on the first export.
import { makeZip } from 'client-zip';

export type Cell = string | number | null;

/** XML allows neither most control characters nor lone surrogates. */
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
/** Text that a spreadsheet would evaluate as a formula once the cell is edited. */
const FORMULA = /^['＇]*[=+\-@\t\r\n＝＋－＠﹦﹢﹣﹫]/;
/** White space, and the apostrophes that a sheet name must not have at its ends. */
const AT_ENDS = /^[\s']+|[\s']+$/g;
const MAX_CHARS = 32_767;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(UNPRINTABLE, '').replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Returns the letters of a column: A, B, … Z, AA. */
function columnName(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26));
  return at < 26 ? letter : columnName(Math.floor(at / 26) - 1) + letter;
}

function cellXml(cell: Cell, at: number, row: number): string {
  const place = `r="${columnName(at)}${row}"`;
  if (cell === null || cell === '') return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? `<c ${place}><v>${cell}</v></c>` : '';
  const text = cell.slice(0, MAX_CHARS);
  // Style 1 is the bold header. Style 2 keeps text that looks like a formula as text, even after it is edited.
  const style = row === 1 ? ' s="1"' : FORMULA.test(text) ? ' s="2"' : '';
  return `<c ${place}${style} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const MAX_NAME = 31;

/** Returns a sheet name that Excel accepts. Excel reserves 'History'. */
export function sheetNameOf(name: string): string {
  const allowed = name.replace(UNPRINTABLE, '').replace(/[[\]:*?/\\\t\r\n]/g, ' ').replace(AT_ENDS, '');
  // The cut may leave half of a surrogate pair, which is unprintable.
  const cut = allowed.slice(0, MAX_NAME).replace(UNPRINTABLE, '').replace(AT_ENDS, '');
  return cut === '' || cut.toLowerCase() === 'history' ? 'Report' : cut;
}

/** Returns the files of the workbook by path. The first row is the header. */
export function workbookParts(name: string, rows: readonly (readonly Cell[])[]): Record<string, string> {
  const data = rows
    .map((row, at) => `<row r="${at + 1}">${row.map((cell, column) => cellXml(cell, column, at + 1)).join('')}</row>`)
    .join('');
  return {
    '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/></Types>`,
    '_rels/.rels': `${HEAD}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escaped(sheetNameOf(name))}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>${data}</sheetData></worksheet>`,
  };
}

export function toXlsx(name: string, rows: readonly (readonly Cell[])[]): Promise<Blob> {
  const parts = Object.entries(workbookParts(name, rows)).map(([path, input]) => ({ name: path, input }));
  return new Response(makeZip(parts)).blob();
}
