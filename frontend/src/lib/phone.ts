/** Digits as people write them, with spaces, dots, brackets and any kind of hyphen between them. */
const NUMBER = /\+?\(?\d[\d\s().\u2010-\u2015-]*\d/g;

const MIN_DIGITS = 3;
/** The most that a number has, with its country code (E.164). */
const MAX_DIGITS = 15;
/** With fewer digits and no word before it, a slash follows an area code, as in Germany; otherwise a second number. */
const FULL_DIGITS = 7;

const digitsOf = (text: string) => text.replace(/\D/g, '');

/**
 * Returns the address that dials the first number of a text, or undefined if the text has none. Phone fields are free
 * text: an extension, a second number or a name may follow, whose digits must not be dialed as part of the first number.
 */
export function phoneAddress(text: string): string | undefined {
  const [head = ''] = text.split('/');
  const isAreaCode = digitsOf(head).length < FULL_DIGITS && !/\p{L}/u.test(head);
  const written = isAreaCode ? text.replace('/', ' ') : text;
  for (const [found] of written.matchAll(NUMBER)) {
    const isForeign = found.startsWith('+');
    // The zero in +44 (0)20 is for calls within the country.
    const digits = digitsOf(isForeign ? found.replace('(0)', '') : found);
    if (digits.length >= MIN_DIGITS) {
      return digits.length <= MAX_DIGITS ? `tel:${isForeign ? '+' : ''}${digits}` : undefined;
    }
  }
  return undefined;
}
