import type { Form, FormDelivery } from './queries';

export type CodeCheck =
  | { result: 'newest'; version: number }
  | { result: 'superseded'; version: number; by: number }
  | { result: 'different'; version: number };

// Codes are typed from paper: case, spaces and dashes are ignored.
const plain = (code: string) => code.toUpperCase().replace(/[^0-9A-Z]/g, '');

/** Checks a code against the form that was found, and whether that form is the current version. */
export function checkCode(
  code: string,
  form: Pick<Form, 'formVersion' | 'verificationCode' | 'supersededBy'>,
  delivery: Pick<FormDelivery, 'formVersion'>,
): CodeCheck {
  const version = form.formVersion;
  if (plain(code) !== plain(form.verificationCode)) return { result: 'different', version };
  const by = Math.max(form.supersededBy ?? version, delivery.formVersion);
  return by > version ? { result: 'superseded', version, by } : { result: 'newest', version };
}
