export const IMPORT_EXTENSIONS = ['csv', 'tsv', 'txt', 'xlsx', 'xls', 'ods'] as const;

export const IMPORT_ACCEPT =
  '.csv,.tsv,.txt,.xlsx,.xls,.ods,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet,application/vnd.ms-excel,application/vnd.oasis.opendocument.spreadsheet';

export type FileProblem = 'type' | 'empty' | 'size';

/** Returns why a file cannot be imported. The server also checks the content. */
export function checkImportFile(
  file: Pick<File, 'name' | 'size'>,
  maxBytes: number,
): FileProblem | undefined {
  const extension = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase();
  const known = file.name.includes('.') && IMPORT_EXTENSIONS.some((entry) => entry === extension);
  if (!known) return 'type';
  if (file.size === 0) return 'empty';
  return file.size > maxBytes ? 'size' : undefined;
}

const PICTURES = ['jpeg', 'jpg', 'png', 'webp', 'heic'];
const DOCUMENTS = [...PICTURES, 'pdf'];

export const PICTURE_ACCEPT = PICTURES.map((extension) => `.${extension}`).join(',');
export const DOCUMENT_ACCEPT = DOCUMENTS.map((extension) => `.${extension}`).join(',');

/** Returns why a file cannot be an attachment. The server also checks the content. */
export function checkAttachmentFile(
  file: Pick<File, 'name' | 'size'>,
  { documents = false, maxBytes }: { documents?: boolean; maxBytes: number },
): FileProblem | undefined {
  const extension = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase();
  const allowed = documents ? DOCUMENTS : PICTURES;
  if (!file.name.includes('.') || !allowed.includes(extension)) return 'type';
  if (file.size === 0) return 'empty';
  return file.size > maxBytes ? 'size' : undefined;
}

/** File types accepted as logo. */
export const LOGO_EXTENSIONS = ['svg', 'jpeg', 'jpg', 'png'] as const;
export const LOGO_ACCEPT = LOGO_EXTENSIONS.map((extension) => `.${extension}`).join(',');
/** Maximum size of a logo that the server accepts. */
export const MAX_LOGO_BYTES = 2 * 1024 * 1024;

/** Returns why a file cannot be a logo. The server also checks the content. */
export function checkLogoFile(file: Pick<File, 'name' | 'size'>): FileProblem | undefined {
  const extension = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase();
  const known = file.name.includes('.') && LOGO_EXTENSIONS.some((entry) => entry === extension);
  if (!known) return 'type';
  if (file.size === 0) return 'empty';
  return file.size > MAX_LOGO_BYTES ? 'size' : undefined;
}
