export const IMPORT_EXTENSIONS = ['csv', 'xlsx'] as const;
export const MAX_IMPORT_BYTES = 50 * 1024 * 1024;

export const IMPORT_ACCEPT =
  '.csv,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export type FileProblem = 'type' | 'empty' | 'size';

/** What keeps a file from being imported; the server checks again, by content. */
export function checkImportFile(file: Pick<File, 'name' | 'size'>): FileProblem | undefined {
  const extension = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase();
  const known = file.name.includes('.') && IMPORT_EXTENSIONS.some((entry) => entry === extension);
  if (!known) return 'type';
  if (file.size === 0) return 'empty';
  return file.size > MAX_IMPORT_BYTES ? 'size' : undefined;
}
