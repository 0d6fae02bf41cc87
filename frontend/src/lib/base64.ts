/** `btoa` accepts Latin-1 only, so text is encoded as UTF-8 first. */
export function encodeBase64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/**
 * Decodes the standard and URL-safe alphabets, with or without padding. A space is read as a plus sign, because a plus
 * sign that is not escaped in a URL is read as a space. Throws on anything else.
 */
export function decodeBase64(text: string): string {
  const standard = text.replaceAll(' ', '+').replaceAll('-', '+').replaceAll('_', '/');
  const binary = atob(standard.replace(/=+$/, ''));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
