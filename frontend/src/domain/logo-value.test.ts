import { describe, expect, it } from 'vitest';
import {
  LOGO_BOUNDS,
  LOGO_DEFAULTS,
  LOGO_SETTING_ID,
  logoAddress,
  parseLogo,
  writeLogo,
} from './logo-value';

const whole = {
  url: 'https://waybill.example/logo/ab.png',
  size: 116,
  gap: 12,
  vertical: -3,
  urlObject: 'https://waybill.example/objects/logos/incoming/k1.png',
};

it("is kept under the id 'customer-logo-information'", () => {
  expect(LOGO_SETTING_ID).toBe('customer-logo-information');
});

it('has size 1 to 130, gap 1 to 30 and vertical align -30 to 30', () => {
  expect(LOGO_BOUNDS).toEqual({
    size: { min: 1, max: 130 },
    gap: { min: 1, max: 30 },
    vertical: { min: -30, max: 30 },
  });
});

describe('the value', () => {
  it('is JSON text with url, size, gap, vertical and urlObject', () => {
    expect(JSON.parse(writeLogo({ ...whole, further: 1 } as typeof whole))).toEqual(whole);
    expect(parseLogo(writeLogo(whole))).toEqual(whole);
  });

  it('defaults to size 130, gap 8 and vertical 0', () => {
    expect(parseLogo('{}')).toEqual({ url: '', size: 130, gap: 8, vertical: 0, urlObject: '' });
  });

  it.each([
    undefined,
    null,
    '',
    'no JSON',
    '[]',
    'null',
    '"text"',
    '{"url":',
    '17',
  ])('that is no logo at all counts as none: %j', (value) => {
    expect(parseLogo(value)).toEqual(LOGO_DEFAULTS);
  });

  it.each([
    ['size', 0],
    ['size', 131],
    ['size', 1.5],
    ['size', '116'],
    ['size', null],
    ['gap', 0],
    ['gap', 31],
    ['vertical', -31],
    ['vertical', 31],
    ['vertical', {}],
    ['url', 7],
    ['urlObject', []],
  ] as const)('with a wrong %s of %j has the default there and all else', (name, wrong) => {
    expect(parseLogo(JSON.stringify({ ...whole, [name]: wrong }))).toEqual({
      ...whole,
      [name]: LOGO_DEFAULTS[name],
    });
  });
});

describe('the address of the picture', () => {
  it.each([
    ['https://waybill.example/logo/ab.png', '/logo/ab.png'],
    ['http://10.0.0.4:8080/logo/ab.svg', '/logo/ab.svg'],
    ['/logo/ab.png', '/logo/ab.png'],
  ])('is the product itself: %s', (url, address) => {
    expect(logoAddress(url)).toBe(address);
  });

  it.each([
    '',
    'https://elsewhere.example/tracker.gif',
    'javascript:alert(1)',
    'data:image/svg+xml,<svg/>',
    '//elsewhere.example/logo/ab.png',
    '/objects/logos/ab.png',
    '/logo/ab.png?x=1',
  ])('is nothing else: %j', (url) => {
    expect(logoAddress(url)).toBeUndefined();
  });
});
