import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readTsv, tsvCell } from './tsv';

it.each([
  ['one cell', 'a', [['a']]],
  ['rows of cells', 'a\tb\r\nc\td', [['a', 'b'], ['c', 'd']]],
  ['no further row after the last line end', 'a\r\nb\r\n', [['a'], ['b']]],
  ['an empty row', 'a\n\nb', [['a'], [''], ['b']]],
  ['an empty cell', '\ta\t', [['', 'a', '']]],
  ['an empty cell of a spreadsheet', '\r\n', [['']]],
  ['a line break and a tab within quotes', '"a\nb"\t"c\td"\ne', [['a\nb', 'c\td'], ['e']]],
  ['a line break of Windows within quotes', '"a\r\nb"\r\n', [['a\nb']]],
  ['a line end of old Macs', 'a\rb', [['a'], ['b']]],
  ['doubled quotes within quotes', '"5"" pipe\nlong"', [['5" pipe\nlong']]],
  ['quotes within an unquoted cell', '5" pipe\t6"', [['5" pipe', '6"']]],
  ['text after a closing quote', '"Sunny" Mart\tb', [['"Sunny" Mart', 'b']]],
  ['a quote that is never closed', '"a\tb\nc', [['"a', 'b'], ['c']]],
  ['quotes around nothing', '""\tb', [['', 'b']]],
])('reads %s', (_, text, rows) => {
  expect(readTsv(text)).toEqual(rows);
});

it.each([
  ['5" pipe', '5" pipe'],
  ['a\nb', '"a\nb"'],
  ['5"\tlong', '"5""\tlong"'],
  ['"Sunny" Mart', '"""Sunny"" Mart"'],
])('writes %j as %j', (value, cell) => {
  expect(tsvCell(value)).toBe(cell);
});

it('reads what it has written', () => {
  const value = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\t', '\n') });
  fc.assert(
    fc.property(fc.array(fc.array(value, { minLength: 1 }), { minLength: 1 }), (rows) => {
      expect(readTsv(rows.map((row) => `${row.map(tsvCell).join('\t')}\r\n`).join(''))).toEqual(rows);
    }),
  );
});

it('reads a large cell', () => {
  const value = 'a "line"\n'.repeat(200_000);
  expect(readTsv(tsvCell(value))).toEqual([[value]]);
});
