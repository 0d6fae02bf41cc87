import type { UserEvent } from '@testing-library/user-event';

/**
 * Replaces the text of a field at once. It is for tests that are not about typing, because each key press renders the
 * page again.
 */
export async function enter(user: UserEvent, field: Element, text: string): Promise<void> {
  await user.clear(field);
  await user.paste(text);
}
