// As long as the server takes a note, a name, an id, and what is neither.
export const MAX_NOTE = 2000;
export const MAX_NAME = 200;
export const MAX_CODE = 64;
export const MAX_TEXT = 100;
export const MAX_PHONE = 40;
export const MAX_EMAIL = 254;
export const MAX_UNIT = 20;

/** Text that is not only space. */
export const said = { validate: { required: (text: string) => text.trim() !== '' } };
