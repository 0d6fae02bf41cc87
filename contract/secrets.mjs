// Notes the secrets that a test run sends to the product, and looks for them in what the product writes. Files that run
// as processes of their own share their notes, if WAYBILL_NOTES names a file.
import { appendFileSync, readFileSync } from 'node:fs';

/** Shorter texts, such as a PIN, may be in a line by chance. */
const SHORTEST = 10;
const NAMES = /password|secret|token|api_?key|device_?key/i;
/** How a token begins that the product has signed. */
const SIGNED = /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/;

/** @type {Set<string>} */
const noted = new Set();

/**
 * Notes a secret that may not appear in a log or metric.
 *
 * @param {string} secret
 */
export function note(secret) {
  if (secret.length < SHORTEST || noted.has(secret)) return;
  noted.add(secret);
  if (process.env.WAYBILL_NOTES) appendFileSync(process.env.WAYBILL_NOTES, `${JSON.stringify(secret)}\n`);
}

/**
 * Notes the texts of a message whose names say that they are secret.
 *
 * @param {unknown} message As parsed from JSON.
 */
export function noteIn(message) {
  if (typeof message !== 'object' || message === null) return;
  for (const [name, value] of Object.entries(message)) {
    if (typeof value === 'string' && NAMES.test(name)) note(value);
    else noteIn(value);
  }
}

/**
 * Notes what a request sends: the secrets in its body, in its address and in its cookies.
 *
 * @param {{ url: string, body?: unknown, cookie?: string | null }} request The body counts if it is a text of JSON.
 */
export function noteRequest({ url, body, cookie }) {
  for (const [name, value] of new URL(url).searchParams) {
    if (NAMES.test(name)) note(value);
  }
  for (const pair of cookie?.split('; ') ?? []) note(pair.slice(pair.indexOf('=') + 1));
  if (typeof body !== 'string' || !/^\s*[[{]/.test(body)) return;
  try {
    noteIn(JSON.parse(body));
  } catch {
    // Some tests send what is not JSON.
  }
}

/**
 * Returns the first line of a text that contains a noted secret or a signed token.
 *
 * @param {string} text
 */
export function leak(text) {
  const secrets = new Set(noted);
  if (process.env.WAYBILL_NOTES) {
    const lines = readFileSync(process.env.WAYBILL_NOTES, 'utf8').split('\n').filter(Boolean);
    lines.forEach((line) => secrets.add(JSON.parse(line)));
  }
  const found = [...secrets].find((secret) => text.includes(secret));
  return text.split('\n').find((line) => (found !== undefined && line.includes(found)) || SIGNED.test(line));
}
