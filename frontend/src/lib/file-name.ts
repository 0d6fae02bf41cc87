// Characters that some file system does not allow in names, and invisible or direction-changing ones.
const UNSAFE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f\\/:*?"<>|\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Joins parts to a file name that is valid on any system; letters of all scripts are kept. */
export function fileName(...parts: readonly string[]): string {
  const [first = '', ...rest] = parts.map((part) => part.replace(UNSAFE, '_'));
  const plain = first.replace(/^\.+|[. ]+$/g, '_');
  return [plain || '_', ...rest].join('-');
}
