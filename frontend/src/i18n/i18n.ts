import i18next, { type i18n } from 'i18next';
import LanguageDetector, { type DetectorOptions } from 'i18next-browser-languagedetector';
import { initReactI18next } from 'react-i18next';
import { resources } from './resources';

/** The places from which the language is read, in this order. The first language found is used and stored. */
export const detection: DetectorOptions = {
  order: ['querystring', 'cookie', 'localStorage', 'sessionStorage', 'navigator', 'htmlTag'],
  lookupQuerystring: 'lng',
  caches: ['localStorage'],
};

/** Initializes i18next and sets the document's `lang` to its language. */
export function startI18n(instance: i18n = i18next): void {
  instance.on('languageChanged', (language) => {
    document.documentElement.lang = language;
  });
  void instance
    .use(LanguageDetector)
    .use(initReactI18next)
    .init({
      resources: { en: resources },
      supportedLngs: ['en'],
      nonExplicitSupportedLngs: true,
      fallbackLng: 'en',
      defaultNS: 'common',
      // React already escapes values, and escaping twice would show in the text.
      interpolation: { escapeValue: false },
      detection,
    });
}

/** Loads the texts of pages behind sign-in, which the login page does not need. */
export async function loadPageTexts(): Promise<void> {
  const { pageTexts } = await import('./page-texts');
  for (const [namespace, texts] of Object.entries(pageTexts)) {
    if (!i18next.hasResourceBundle('en', namespace)) {
      i18next.addResourceBundle('en', namespace, texts);
    }
  }
}
