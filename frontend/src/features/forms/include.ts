/** Parts of a form that a print may go without. */
export const PARTS = ['photos', 'places', 'notes'] as const;
export type Part = (typeof PARTS)[number];

export type Included = Readonly<Record<Part, boolean>>;

export const EVERYTHING: Included = { photos: true, places: true, notes: true };
