import { expect, it } from 'vitest';
import { toXlsx } from './xlsx';

it('is a ZIP with the parts that a spreadsheet looks for', async () => {
  const book = await toXlsx('Report', [['a']]);
  const text = new TextDecoder('latin1').decode(await book.arrayBuffer());
  expect(text.startsWith('PK')).toBe(true);
  for (const path of ['[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml', 'xl/worksheets/sheet1.xml']) {
    expect(text).toContain(path);
  }
});
