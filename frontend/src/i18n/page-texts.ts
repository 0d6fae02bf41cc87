import { byNamespace, type Texts } from './resources';

/** What the pages behind sign-in say: fetched once, beside the code of the first of them. */
export const pageTexts = byNamespace(
  import.meta.glob<Texts>(
    ['../locales/en/*.json', '!../locales/en/{auth,common,errors,form,navigation,shell}.json'],
    { eager: true, import: 'default' },
  ),
);
