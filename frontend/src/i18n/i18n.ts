import i18next from 'i18next';
import LanguageDetector from 'i18next-browser-languagedetector';
import { initReactI18next } from 'react-i18next';
import { resources } from './resources';

/** Sets the interface language up; the language of the document follows it. */
export function startI18n(): void {
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language;
  });
  void i18next
    .use(LanguageDetector)
    .use(initReactI18next)
    .init({
      resources: { en: resources },
      supportedLngs: ['en'],
      nonExplicitSupportedLngs: true,
      fallbackLng: 'en',
      defaultNS: 'common',
      interpolation: { escapeValue: false },
      detection: {
        order: [
          'querystring',
          'cookie',
          'localStorage',
          'sessionStorage',
          'navigator',
          'htmlTag',
        ],
        lookupQuerystring: 'lng',
        caches: ['localStorage'],
      },
    });
}
