import type { FieldError, FieldErrors, FieldValues } from 'react-hook-form';

const RULE_TEXTS = {
  required: 'is required',
  pattern: 'is not formatted correctly',
  minLength: 'is too short',
  maxLength: 'is too long',
  min: 'is too low',
  max: 'is too high',
  validate: 'is not valid',
} as const;

/** Returns the error message of a field: its own, or the label with the text of the failed rule. */
export function ruleMessage(label: string, error: FieldError | undefined): string | undefined {
  if (!error) return undefined;
  if (error.message) return error.message;
  const text = RULE_TEXTS[error.type as keyof typeof RULE_TEXTS] ?? RULE_TEXTS.validate;
  return `${label} ${text}`;
}

export interface FieldMessage {
  /** The field's name; undefined for errors of the whole form. */
  name: string | undefined;
  text: string;
}

/** Returns the messages of all fields of a form, in the order of their labels. */
export function ruleMessages<Values extends FieldValues>(
  labels: Partial<Record<keyof Values & string, string>>,
  errors: FieldErrors<Values>,
): FieldMessage[] {
  return Object.entries(labels).flatMap(([name, label]) => {
    const text = ruleMessage(String(label), errors[name] as FieldError | undefined);
    return text === undefined ? [] : [{ name, text }];
  });
}
