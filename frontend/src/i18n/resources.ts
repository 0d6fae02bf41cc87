export interface Texts {
  [key: string]: string | Texts;
}

/** Texts by the name of their file, which is their namespace. */
export function byNamespace(files: Record<string, Texts>): Record<string, Texts> {
  return Object.fromEntries(
    Object.entries(files).map(([path, texts]) => [
      path.slice(path.lastIndexOf('/') + 1, -'.json'.length),
      texts,
    ]),
  );
}

/** What is said before anybody is signed in, and around every page. The others are page texts. */
export const resources = byNamespace(
  import.meta.glob<Texts>('../locales/en/{auth,common,errors,form,navigation,shell}.json', {
    eager: true,
    import: 'default',
  }),
);
