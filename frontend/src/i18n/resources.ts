interface Texts {
  [key: string]: string | Texts;
}

const files = import.meta.glob<Texts>('../locales/en/*.json', { eager: true, import: 'default' });

/** The texts of every area; the namespace is the name of its file. */
export const resources: Record<string, Texts> = Object.fromEntries(
  Object.entries(files).map(([path, texts]) => [
    path.slice(path.lastIndexOf('/') + 1, -'.json'.length),
    texts,
  ]),
);
