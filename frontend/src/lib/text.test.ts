import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, encodeBase64 } from './base64';
import { toCsv } from './csv';
import { formatBytes, formatCount, formatQuantity, percent } from './numbers';

describe('base64', () => {
  it('goes round with any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decodeBase64(encodeBase64(text))).toBe(text);
      }),
    );
  });

  it('reads the URL-safe alphabet, missing padding, and spaces for plus signs', () => {
    const text = '~~~ ñ ??? é>>>';
    const standard = encodeBase64(text);
    const safe = standard.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    expect(decodeBase64(safe)).toBe(text);
    expect(decodeBase64(standard.replaceAll('+', ' '))).toBe(text);
  });

  it('throws on what is no base64 or no UTF-8', () => {
    expect(() => decodeBase64('*')).toThrow();
    expect(() => decodeBase64('/w==')).toThrow();
  });
});

describe('csv', () => {
  it('quotes where needed and ends lines as spreadsheets do', () => {
    expect(toCsv([['a', 'b,c', 'say "x"', 'two\nlines']])).toBe(
      '\uFEFFa,"b,c","say ""x""","two\nlines"\r\n',
    );
  });

  it.each(['=1+1', '+1', '-1', '@x', '\tx', ' =1', '＝1+1', '＋1', '－1', '＠x'])('disarms %j', (value) => {
    expect(toCsv([[value]]).replace(/^\uFEFF"?/, '')[0]).toBe("'");
  });

  // The same cases as in services/kit/src/text.rs, except those that have an apostrophe already.
  it.each([
    ["Gate 4;=cmd|'/C calc'!A0;x", "Gate 4;'=cmd|'/C calc'!A0;x"],
    ['a\t=1', "a\t'=1"],
    ['12 Rizal St\r\n-1', "12 Rizal St\r\n'-1"],
    ['=1;+2', "'=1;'+2"],
    ['a; "=1', `a;' "=1`],
    ['a;＇＠b', "a;'＇＠b"],
    [';;=1;', ";;'=1;"],
    ['\t=1', "'\t'=1"],
    ['a\n\nb', 'a\n\nb'],
    ["1;2, b=c; 't", "1;2, b=c; 't"],
    // Imports read these without one apostrophe.
    ["'=1", "'=1"],
    ["a;'=1", "a;'=1"],
  ])('disarms formulas inside a text: %j', (value, written) => {
    const line = toCsv([[value]]).slice(1, -2);
    expect(line.startsWith('"') ? line.slice(1, -1).replaceAll('""', '"') : line).toBe(written);
  });
});

describe('numbers', () => {
  it('are shown with separators and few decimals', () => {
    expect(formatCount(1284)).toBe('1,284');
    expect(formatQuantity(12.5)).toBe('12.5');
    expect(formatBytes(36)).toBe('36 B');
    expect(formatBytes(214_000)).toBe('209 KB');
    expect(formatBytes(52_428_800)).toBe('50.0 MB');
  });

  it('keep percentages within their bounds', () => {
    expect([percent(1, 3), percent(5, 0), percent(9, 3), percent(-1, 3)]).toEqual([33, 0, 100, 0]);
  });
});
