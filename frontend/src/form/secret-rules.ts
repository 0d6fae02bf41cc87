/** Characters as a person counts them, which is how the server does. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** Rules by the names of their texts, for a length that the built-in ones would count differently. */
function between(least: number, most: number) {
  return {
    minLength: (text: string) => lengthOf(text) >= least,
    maxLength: (text: string) => lengthOf(text) <= most,
  };
}

/** What a new password must be. Only the server knows those that everybody tries. */
export const passwordRules = { required: true, validate: between(8, 128) };

/** What a driver's new PIN must be. */
export const pinRules = { required: true, pattern: /^\d*$/, validate: between(6, 12) };

/** What is typed a second time must be what was typed first; `differs` says that it is not. */
export function repeatRules<Values>(first: keyof Values & string, differs: string) {
  return {
    required: true,
    validate: (repeated: string, values: Values) => repeated === values[first] || differs,
  };
}
