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

/** What the server allows by default; it says so itself where an installation is stricter. */
export const MAX_EVIDENCE_BYTES = 10 * 1024 * 1024;
export const MAX_EVIDENCE_FILES = 20;

const PICTURES = ['jpeg', 'jpg', 'png', 'webp', 'heic'];
const DOCUMENTS = [...PICTURES, 'pdf'];

export const PICTURE_ACCEPT = PICTURES.map((extension) => `.${extension}`).join(',');
export const DOCUMENT_ACCEPT = DOCUMENTS.map((extension) => `.${extension}`).join(',');

/** What keeps a file from proving something; the server checks again, by content. */
export function checkEvidenceFile(
  file: Pick<File, 'name' | 'size'>,
  { documents = false }: { documents?: boolean } = {},
): FileProblem | undefined {
  const extension = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase();
  const allowed = documents ? DOCUMENTS : PICTURES;
  if (!file.name.includes('.') || !allowed.includes(extension)) return 'type';
  if (file.size === 0) return 'empty';
  return file.size > MAX_EVIDENCE_BYTES ? 'size' : undefined;
}

/** Of the customer's logo. */
export const LOGO_EXTENSIONS = ['svg', 'jpeg', 'jpg', 'png'] as const;
export const LOGO_ACCEPT = LOGO_EXTENSIONS.map((extension) => `.${extension}`).join(',');
/** What the server reads of one. */
export const MAX_LOGO_BYTES = 2 * 1024 * 1024;

/** What keeps a file from being the logo; the server checks again, by content. */
export function checkLogoFile(file: Pick<File, 'name' | 'size'>): FileProblem | undefined {
  const extension = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase();
  const known = file.name.includes('.') && LOGO_EXTENSIONS.some((entry) => entry === extension);
  if (!known) return 'type';
  if (file.size === 0) return 'empty';
  return file.size > MAX_LOGO_BYTES ? 'size' : undefined;
}
