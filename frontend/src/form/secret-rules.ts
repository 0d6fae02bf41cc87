/** Counts code points, like the server. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

/**
 * Returns length rules, each named by the translation key of its error. The length rules of React Hook Form count
 * UTF-16 units instead of characters.
 */
function between(least: number, most: number) {
  return {
    minLength: (text: string) => lengthOf(text) >= least,
    maxLength: (text: string) => lengthOf(text) <= most,
  };
}

/** Rules of a new password. Only the server knows common passwords. */
export const passwordRules = { required: true, validate: between(8, 128) };

/** Rules of a driver's new PIN. */
export const pinRules = { required: true, pattern: /^\d*$/, validate: between(6, 12) };

/** Returns rules for a field that repeats the value of the field `first`. `differs` is the error if they differ. */
export function repeatRules<Values>(first: keyof Values & string, differs: string) {
  return {
    required: true,
    validate: (repeated: string, values: Values) => repeated === values[first] || differs,
  };
}
