/** Parts that a copy of a form may go without. */
export const PARTS = ['photos', 'distance', 'notes'] as const;
export type Part = (typeof PARTS)[number];
