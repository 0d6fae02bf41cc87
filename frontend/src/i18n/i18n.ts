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

/** Adds the texts of the pages behind sign-in, which would only delay the ones before it. */
export async function loadPageTexts(): Promise<void> {
  const { pageTexts } = await import('./page-texts');
  for (const [namespace, texts] of Object.entries(pageTexts)) {
    if (!i18next.hasResourceBundle('en', namespace)) {
      i18next.addResourceBundle('en', namespace, texts);
    }
  }
}
