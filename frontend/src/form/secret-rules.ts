/** Counts code points, like the server. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** Returns rules for the length, by translation key. The built-in rules count UTF-16 units. */
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

/** Returns rules for a repeated value, which must match the first. `differs` is the message if it does not. */
export function repeatRules<Values>(first: keyof Values & string, differs: string) {
  return {
    required: true,
    validate: (repeated: string, values: Values) => repeated === values[first] || differs,
  };
}
