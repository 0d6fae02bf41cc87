import * as v from 'valibot';

const schema = v.object({ driverIsNew: v.literal(true) });

/** What the page of a driver learns from the one that made them; carried by the history entry. */
export const NEWLY_MADE: v.InferOutput<typeof schema> = { driverIsNew: true };

export function isNewlyMade(state: unknown): boolean {
  return v.is(schema, state);
}
