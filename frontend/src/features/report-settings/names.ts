/** Stands for the one to be made where an address has an id: there is no address of its own for it. */
export const NEW_ID = 'new';
