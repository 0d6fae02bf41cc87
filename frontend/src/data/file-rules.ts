export type FileProblem = 'type' | 'empty' | 'size';

type ChosenFile = Pick<File, 'name' | 'size'>;

const acceptOf = (extensions: readonly string[]) =>
  extensions.map((extension) => `.${extension}`).join(',');

function problemOf(
  { name, size }: ChosenFile,
  extensions: readonly string[],
  maxBytes: number,
): FileProblem | undefined {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  if (!name.includes('.') || !extensions.includes(extension)) return 'type';
  if (size === 0) return 'empty';
  return size > maxBytes ? 'size' : undefined;
}

const IMPORT_EXTENSIONS = ['csv', 'tsv', 'txt', 'xlsx', 'xls', 'ods'];

export const IMPORT_ACCEPT = [
  acceptOf(IMPORT_EXTENSIONS),
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.ms-excel',
  'application/vnd.oasis.opendocument.spreadsheet',
].join(',');

/** Returns why a file cannot be imported. The server also checks the content. */
export function checkImportFile(file: ChosenFile, maxBytes: number): FileProblem | undefined {
  return problemOf(file, IMPORT_EXTENSIONS, maxBytes);
}

const PICTURES = ['jpeg', 'jpg', 'png', 'webp', 'heic'];
const DOCUMENTS = [...PICTURES, 'pdf'];

// Chrome on Android offers its camera only for types that are named as such, not for extensions.
export const PICTURE_ACCEPT = [acceptOf(PICTURES), 'image/jpeg', 'image/png', 'image/webp', 'image/heic'].join(',');
export const DOCUMENT_ACCEPT = [PICTURE_ACCEPT, '.pdf', 'application/pdf'].join(',');

/** Returns why a file cannot be an attachment. The server also checks the content. */
export function checkAttachmentFile(
  file: ChosenFile,
  { documents = false, maxBytes }: { documents?: boolean; maxBytes: number },
): FileProblem | undefined {
  return problemOf(file, documents ? DOCUMENTS : PICTURES, maxBytes);
}

/** File types accepted as logo. */
export const LOGO_EXTENSIONS = ['svg', 'jpeg', 'jpg', 'png'];
export const LOGO_ACCEPT = acceptOf(LOGO_EXTENSIONS);
/** Maximum size of a logo that the server accepts. */
export const MAX_LOGO_BYTES = 2 * 1024 * 1024;

/** Returns why a file cannot be a logo. The server also checks the content. */
export function checkLogoFile(file: ChosenFile): FileProblem | undefined {
  return problemOf(file, LOGO_EXTENSIONS, MAX_LOGO_BYTES);
}
