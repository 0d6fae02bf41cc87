import type { Attempt, Letter } from './queries';

/** Quotes a text as one shell word; nothing in it is expanded or executed. */
function word(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function headersOf(json: string | null): [string, string][] {
  try {
    const read: unknown = JSON.parse(json ?? '{}');
    return typeof read === 'object' && read !== null
      ? Object.entries(read).map(([name, value]) => [name, String(value)])
      : [];
  } catch {
    return [];
  }
}

/**
 * Returns the body that an attempt sent. An attempt has a body of its own only if it differs from the payload.
 * Before the first attempt, returns the body that will be sent.
 */
export function requestBody(letter: Letter, attempt: Attempt | undefined): string {
  if (attempt) return attempt.requestBody ?? letter.payload;
  return letter.editedPayload ?? letter.payload;
}

/**
 * Returns the request as a curl command. Its signature stays masked, because whoever runs the command must sign the
 * request themselves.
 */
export function asCurl(letter: Letter, attempt: Attempt | undefined): string {
  const headers = headersOf(letter.requestHeaders);
  const all = headers.length > 0 ? headers : [['content-type', 'application/json'] as const];
  return [
    `curl -X POST ${word(letter.endpointUrl ?? '')}`,
    ...all.map(([name, value]) => `-H ${word(`${name}: ${value}`)}`),
    `--data-raw ${word(requestBody(letter, attempt))}`,
  ].join(' \\\n  ');
}

/** JSON with line breaks; other text as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
