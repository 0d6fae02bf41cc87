// Builds a workbook from texts.
import { makeZip } from 'client-zip';

const REL = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Returns an XLSX file. Its sheets have names without characters that XML reserves. */
export async function workbook(sheets: Record<string, string[][]>): Promise<Buffer> {
  const link = (id: string, kind: string, target: string) =>
    `<Relationship Id="${id}" Type="${REL}/${kind}" Target="${target}"/>`;
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const row = (cells: string[], at: number) => `<row r="${at + 1}">${cells.map(cell).join('')}</row>`;
  const names = Object.keys(sheets);
  const links = names.map((_, at) => link(`s${at}`, 'worksheet', `worksheets/s${at}.xml`));
  const listed = names.map((name, at) => `<sheet name="${name}" r:id="s${at}"/>`);
  const parts: Record<string, string> = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': `<Relationships>${link('r', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${links.join('')}</Relationships>`,
    'xl/workbook.xml': `<workbook><sheets>${listed.join('')}</sheets></workbook>`,
  };
  for (const [at, rows] of Object.values(sheets).entries()) {
    parts[`xl/worksheets/s${at}.xml`] = `<worksheet><sheetData>${rows.map(row).join('')}</sheetData></worksheet>`;
  }
  const files = Object.entries(parts).map(([name, input]) => ({ name, input }));
  return Buffer.from(await new Response(makeZip(files)).arrayBuffer());
}
