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
