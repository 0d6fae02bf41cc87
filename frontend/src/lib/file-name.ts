// What some file system takes for something else than a name, and what hides or turns letters round.
const UNSAFE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f\\/:*?"<>|\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Parts joined to the name of a file, on any system; letters of every script stay. */
export function fileName(...parts: readonly string[]): string {
  const [first = '', ...rest] = parts.map((part) => part.replace(UNSAFE, '_'));
  const plain = first.replace(/^\.+|[. ]+$/g, '_');
  return [plain || '_', ...rest].join('-');
}
