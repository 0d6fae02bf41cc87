import type { Attempt, Letter } from './queries';

/** A word of a shell: nothing in it can end it or be run. */
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

/** What an attempt sent: its own text where it differs from the payload, before the first attempt what will be sent. */
export function requestBody(letter: Letter, attempt: Attempt | undefined): string {
  if (attempt) return attempt.requestBody ?? letter.payload;
  return letter.editedPayload ?? letter.payload;
}

/** The request as a command. Its signature stays masked: who runs it signs for themselves. */
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
