import type { Attachment } from './queries';

const LATE_MS = 30 * 60_000;

/** Whether a file reached the server long after it was made, as the rule for outcomes has it. */
export function isLate({ capturedAt, receivedAt }: Pick<Attachment, 'capturedAt' | 'receivedAt'>) {
  return Date.parse(receivedAt) - Date.parse(capturedAt) > LATE_MS;
}

export function isPicture({ contentType }: Pick<Attachment, 'contentType'>): boolean {
  return contentType.startsWith('image/');
}
