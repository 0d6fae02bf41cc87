export interface Texts {
  [key: string]: string | Texts;
}

/** Maps each text file to the namespace of the same name. */
export function byNamespace(files: Record<string, Texts>): Record<string, Texts> {
  return Object.fromEntries(
    Object.entries(files).map(([path, texts]) => [
      path.slice(path.lastIndexOf('/') + 1, -'.json'.length),
      texts,
    ]),
  );
}

/** Texts of pages before sign-in and of the app shell; the others are page texts. */
export const resources = byNamespace(
  import.meta.glob<Texts>('./locales/en/{auth,common,errors,form,navigation,shell}.json', {
    eager: true,
    import: 'default',
  }),
);
