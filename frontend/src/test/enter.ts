import type { UserEvent } from '@testing-library/user-event';

/** Replaces the text of a field at once, for tests that are not about typing: each letter renders the page. */
export async function enter(user: UserEvent, field: Element, text: string): Promise<void> {
  await user.clear(field);
  await user.paste(text);
}
