import { limits } from '@/form/limits';

export interface TextSpec {
  maxLength: number;
  type?: 'tel' | 'email';
  /** A line below the box, `hints.<name>` of the form's texts. */
  hint?: true;
}

/** Texts that may stay empty and need nothing of their own: a line here is all that the form has of each. */
export const HEAD_LINES = {
  contactName: { maxLength: limits.name },
  contactPhone: { maxLength: limits.phone, type: 'tel' },
  contactEmail: { maxLength: limits.email, type: 'email' },
} satisfies Record<string, TextSpec>;

/** The same with room for several lines. */
export const HEAD_NOTES = {
  instructions: { maxLength: limits.note, hint: true },
  internalNote: { maxLength: limits.note, hint: true },
} satisfies Record<string, TextSpec>;

export type HeadText = keyof typeof HEAD_LINES | keyof typeof HEAD_NOTES;

const namesOf = <Name extends string>(specs: Record<Name, TextSpec>) => Object.keys(specs) as Name[];

/** In their order on screen. */
export const HEAD_TEXTS: readonly HeadText[] = [...namesOf(HEAD_LINES), ...namesOf(HEAD_NOTES)];

/** A value for each of the texts. */
export function eachText<Value>(value: (name: HeadText) => Value): Record<HeadText, Value> {
  return Object.fromEntries(HEAD_TEXTS.map((name) => [name, value(name)])) as Record<HeadText, Value>;
}
