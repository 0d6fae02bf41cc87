import { describe, expect, it } from 'vitest';
import { sheetNameOf, workbookParts } from './xlsx';

function sheet(rows: (string | number | null)[][]): Document {
  const xml = workbookParts('Report', rows)['xl/worksheets/sheet1.xml'] ?? '';
  const parsed = new DOMParser().parseFromString(xml, 'application/xml');
  expect(parsed.querySelector('parsererror')).toBeNull();
  return parsed;
}

describe('a workbook', () => {
  it('has texts as texts, numbers as numbers, and nothing as no cell', () => {
    const cells = [...sheet([['Status', 'Count'], ['<Pending> & "co"', 1234.5], [null, null]]).querySelectorAll('c')];
    expect(cells.map((cell) => [cell.getAttribute('r'), cell.getAttribute('t'), cell.textContent])).toEqual([
      ['A1', 'inlineStr', 'Status'],
      ['B1', 'inlineStr', 'Count'],
      ['A2', 'inlineStr', '<Pending> & "co"'],
      ['B2', null, '1234.5'],
    ]);
  });

  it('calculates nothing, also after somebody edits a cell', () => {
    const cells = [...sheet([['Name'], ['=1+1'], ["'-2"], ['plain'], ['\u0000\uD800x']]).querySelectorAll('c')];
    expect(cells.map((cell) => cell.getAttribute('s'))).toEqual(['1', '2', '2', null, null]);
    expect(sheet([['=1']]).querySelector('f')).toBeNull();
    expect(cells[4]?.textContent).toBe('x');
  });

  it.each([
    ['Late deliveries', 'Late deliveries'],
    ["'By carrier'", 'By carrier'],
    ["Carrier's day", "Carrier's day"],
    ['A/B [x]', 'A B  x'],
    ['', 'Report'],
    [' \t', 'Report'],
    ["'?'", 'Report'],
    ['History', 'Report'],
    ['hisTORY ', 'Report'],
    ['History of May', 'History of May'],
    ['x'.repeat(40), 'x'.repeat(31)],
    // The apostrophe and the truck would be at the end.
    [`${'x'.repeat(30)}'s`, 'x'.repeat(30)],
    [`${'x'.repeat(30)}🚚`, 'x'.repeat(30)],
    ['\u0000\uD800', 'Report'],
  ])('named %j has the sheet %j', (name, sheetName) => {
    expect(sheetNameOf(name)).toBe(sheetName);
  });

  it('names its columns beyond Z, and every part is XML', () => {
    const row = Array.from({ length: 30 }, (_, at) => at);
    const places = [...sheet([row]).querySelectorAll('c')].map((cell) => cell.getAttribute('r'));
    expect(places.slice(24, 28)).toEqual(['Y1', 'Z1', 'AA1', 'AB1']);
    for (const xml of Object.values(workbookParts('A/B [x] & a name that is longer than a sheet may have', [['a']]))) {
      expect(new DOMParser().parseFromString(xml, 'application/xml').querySelector('parsererror')).toBeNull();
    }
  });
});
