import { limits } from '@/form/limits';

// As long as the server takes a note, a name, an id, and what is neither.
export const MAX_NOTE = limits.note;
export const MAX_NAME = limits.name;
export const MAX_CODE = limits.code;
export const MAX_TEXT = limits.shortName;
export const MAX_PHONE = limits.phone;
export const MAX_EMAIL = limits.email;
export const MAX_UNIT = limits.unit;

/** Text that is not only space. */
export const said = { validate: { required: (text: string) => text.trim() !== '' } };
