/** The list's name in storage and in the history entries of what it opens. */
export const DRIVERS = 'drivers';
