import { render, renderHook, screen } from '@testing-library/react';
import { createInstance } from 'i18next';
import LanguageDetector from 'i18next-browser-languagedetector';
import { I18nextProvider, useTranslation } from 'react-i18next';
import { afterEach, expect, it, vi } from 'vitest';
import { detection, startI18n } from './i18n';
import { useNameOf } from './texts';

const CACHE_KEY = 'i18nextLng';

/**
 * Each place from which the language is read, with a function that sets the language there and one that clears it.
 * The place with the highest priority is first.
 */
const places: [string, (language: string) => void, () => void][] = [
  ['query', (it) => history.replaceState(null, '', `/?lng=${it}`), () => history.replaceState(null, '', '/')],
  ['cookie', (it) => (document.cookie = `i18next=${it}`), () => (document.cookie = 'i18next=; max-age=0')],
  ['local storage', (it) => localStorage.setItem(CACHE_KEY, it), () => localStorage.removeItem(CACHE_KEY)],
  ['session storage', (it) => sessionStorage.setItem(CACHE_KEY, it), () => sessionStorage.removeItem(CACHE_KEY)],
  ['browser', (it) => vi.spyOn(navigator, 'languages', 'get').mockReturnValue([it]), () => vi.spyOn(navigator, 'languages', 'get').mockReturnValue([])],
  ['html tag', (it) => (document.documentElement.lang = it), () => document.documentElement.removeAttribute('lang')],
];

afterEach(() => {
  for (const [, , clear] of places) clear();
  document.documentElement.lang = 'en';
});

function start() {
  const instance = createInstance();
  startI18n(instance);
  return instance;
}

it('reads the language from lng, cookie, local storage, session storage, browser and html tag, in this order', () => {
  vi.spyOn(navigator, 'language', 'get').mockReturnValue('');
  const detector = new LanguageDetector(
    { languageUtils: { getBestMatchFromCodes: (codes: string[]) => codes[0] } },
    detection,
  );
  const first = () => [detector.detect()].flat()[0];
  for (const [index, [, write]] of places.entries()) write(`l${index}`);
  const found = places.map(([, , clear]) => {
    const language = first();
    clear();
    return language;
  });
  expect(found).toEqual(['l0', 'l1', 'l2', 'l3', 'l4', 'l5']);
});

it('keeps the language that was found in local storage, and nowhere else', () => {
  history.replaceState(null, '', '/?lng=en-GB');
  const { language } = start();
  expect(language).toBe('en-GB');
  expect(localStorage.getItem(CACHE_KEY)).toBe('en-GB');
  expect(sessionStorage.getItem(CACHE_KEY)).toBeNull();
  expect(document.cookie).not.toContain('i18next');
  expect(document.documentElement.lang).toBe('en-GB');
});

it.each(['de', 'xx-YY', '<script>'])('is English for %s', (asked) => {
  history.replaceState(null, '', `/?lng=${encodeURIComponent(asked)}`);
  const instance = start();
  expect(instance.t('loading')).toBe('Loading...');
  expect(instance.resolvedLanguage).toBe('en');
  expect(instance.options.fallbackLng).toEqual(['en']);
});

function Title({ page }: { page: string }) {
  const { t } = useTranslation('common');
  return <p>{t('documentTitle', { page, app: t('appName') })}</p>;
}

it('puts values into texts as they are, and they are text all the same', () => {
  const instance = start();
  const page = '<img src=x onerror="alert(1)"> & Sons';
  expect(instance.t('documentTitle', { page, app: 'Waybill' })).toBe(`${page} | Waybill`);
  render(
    <I18nextProvider i18n={instance}>
      <Title page={page} />
    </I18nextProvider>,
  );
  expect(screen.getByText(`${page} | Waybill`)).toBeInTheDocument();
  expect(document.querySelector('img')).toBeNull();
});

it.each(['$t(common:retry)', '{{count}}', 'fuel-card'])('shows %s unchanged if there is no text for it', (value) => {
  const { result } = renderHook(() => useNameOf());
  expect(result.current('deliveries:fields', value)).toBe(value);
  expect(result.current(['drivers:fields', 'deliveries:fields'], 'trucker')).toBe('Trucker');
});
