import { byNamespace, type Texts } from './resources';

/** Texts of pages behind sign-in, loaded with the first such page. */
export const pageTexts = byNamespace(
  import.meta.glob<Texts>(
    ['./locales/en/*.json', '!./locales/en/{auth,common,errors,form,navigation,shell}.json'],
    { eager: true, import: 'default' },
  ),
);
