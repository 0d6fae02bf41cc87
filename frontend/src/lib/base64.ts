/** btoa knows Latin-1 only, so text goes through UTF-8 bytes first. */
export function encodeBase64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/**
 * Reads the standard and the URL-safe alphabet, with or without padding. A plus turned into a space
 * by a hand-built address is read as the plus it was. Throws on anything else.
 */
export function decodeBase64(text: string): string {
  const standard = text.replaceAll(' ', '+').replaceAll('-', '+').replaceAll('_', '/');
  const binary = atob(standard.replace(/=+$/, ''));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
