// Writes docs/errors.md from the codes in the Rust sources.
//   node scripts/docs-errors.mjs [--check]
//
// A code is a literal in upper snake case where the sources create an error, or refuse a file or a line.
// A code that is created nowhere is not listed, so the page cannot promise too much.
import { files, isTestFile, read, settle, withoutTests } from './sources.mjs';

const KINDS = {
  not_found: 'NotFound',
  already_exists: 'AlreadyExists',
  invalid: 'InvalidInput',
  precondition: 'FailedPrecondition',
  unauthenticated: 'Unauthenticated',
  forbidden: 'Forbidden',
  rate_limited: 'RateLimited',
  storage_full: 'StorageFull',
  unavailable: 'Unavailable',
};
// The gRPC code, GraphQL code, and HTTP status outside of GraphQL, by kind.
const ANSWERS = {
  NotFound: ['NOT_FOUND', 'NOT_FOUND', 404],
  AlreadyExists: ['ALREADY_EXISTS', 'BAD_USER_INPUT', 409],
  InvalidInput: ['INVALID_ARGUMENT', 'BAD_USER_INPUT', 400],
  FailedPrecondition: ['FAILED_PRECONDITION', 'FAILED_PRECONDITION', 409],
  Unauthenticated: ['UNAUTHENTICATED', 'UNAUTHENTICATED', 401],
  Forbidden: ['PERMISSION_DENIED', 'FORBIDDEN', 403],
  RateLimited: ['RESOURCE_EXHAUSTED', 'RATE_LIMITED', 429],
  StorageFull: ['RESOURCE_EXHAUSTED', 'STORAGE_FULL', 507],
  Unavailable: ['UNAVAILABLE', 'UNAVAILABLE', 503],
  Internal: ['INTERNAL', 'INTERNAL', 500],
};
const FIXED = {
  unauthenticated: "You don't have permission to do that.",
  forbidden: "You don't have access to do that.",
};

const CODE = String.raw`"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|INTERNAL|REQUIRED)"`;
const BEGIN = String.raw`\(\s*"((?:[^"\\]|\\[\s\S])*)"`;
const TEXT = String.raw`(?:\s*,\s*(?:format!\(\s*)?"((?:[^"\\]|\\[\s\S])*)")?`;
const MADE = new RegExp(String.raw`\b(FileError|Warning|Error|Self)::(\w+)\(\s*(?:(?:Kind|kit::Kind)::(\w+)\s*,\s*)?${CODE}${TEXT}`, 'g');
const REFUSED = new RegExp(String.raw`\brefuse\(\s*${CODE}${TEXT}`, 'g');
// `Error::changed_meanwhile` and `store::require_version` write the text; the sources give its subject at most.
const CHANGED = new RegExp(
  String.raw`\b(?:changed_meanwhile\(\s*|require_version\([^";]*,\s*)${CODE}${TEXT}`,
  'g',
);
// A warning with its code in place, and one whose code is chosen with its text before.
const WARNED = new RegExp(String.raw`\bNewWarning \{[^}]*?\bcode: ${CODE}[^}]*?\btext: format!${BEGIN}`, 'g');
const CHOSEN = new RegExp(String.raw`\(\s*${CODE},\s*format!${BEGIN}`, 'g');
const CONSTANT = new RegExp(String.raw`\bconst \w+: &str = ${CODE};`, 'g');

const reasons = new Map();
const lines = new Map();
const uploads = new Map();
const warnings = new Map();
const notUndone = new Map();
const gateway = new Map();

function note(map, code, entry) {
  const known = map.get(code) ?? { kinds: new Set(), texts: new Set(), crates: new Set() };
  if (entry.kind) known.kinds.add(entry.kind);
  if (entry.text) known.texts.add(entry.text);
  known.crates.add(entry.crate);
  map.set(code, known);
}

const plain = (text) =>
  text
    ?.replace(/\\\n\s*/g, '')
    .replaceAll('\\"', '"')
    .replace(/\{\{(\w+)\}\}|\{[^}]*\}/g, (_, literal) => (literal ? `{${literal}}` : '…'));

for (const path of files()) {
  if (!path.endsWith('.rs') || !/^(?:services|gateway)\//.test(path) || isTestFile(path)) continue;
  if (path.endsWith('/build.rs')) continue;
  const source = withoutTests(read(path))
    .replace(/^\s*\/\/.*$/gm, '')
    // Names of variables of the build.
    .replace(/\benv!\("\w+"\)/g, '');
  const crate = path.startsWith('gateway') ? 'gateway' : path.split('/')[1];
  const ofFile = path.startsWith('services/upload/src/file/');
  const seen = new Set();
  for (const match of source.matchAll(MADE)) {
    const [, type, maker, named, code, text] = match;
    seen.add(code);
    if (maker === 'changed_meanwhile') continue;
    if (type === 'FileError' || type === 'Warning' || (type === 'Self' && ofFile)) {
      note(type === 'Warning' ? warnings : uploads, code, { crate, text: plain(text) });
      continue;
    }
    const kind = maker === 'new' ? named : KINDS[maker] ?? (maker === 'internal' ? 'Internal' : undefined);
    note(reasons, code, { kind, crate, text: plain(text) ?? FIXED[maker] });
  }
  for (const [, code, subject = '…'] of source.matchAll(CHANGED)) {
    const text = `${plain(subject)} was changed in the meantime. Reload it and try again.`;
    note(reasons, code, { kind: 'FailedPrecondition', crate, text });
  }
  if (crate === 'store') {
    for (const [, code, text] of source.matchAll(REFUSED)) {
      note(reasons, code, { kind: 'InvalidInput', crate, text: plain(text) });
      seen.add(code);
    }
  }
  if (crate === 'gateway') {
    for (const [, code] of source.matchAll(new RegExp(CODE, 'g'))) {
      if (!seen.has(code) && !code.startsWith('SCREAMING_')) note(gateway, code, { crate });
    }
  }
  if (crate === 'upload') {
    for (const [, code, text] of source.matchAll(WARNED)) note(warnings, code, { crate, text: plain(text) });
  }
  if (path === 'services/deliveries/src/commands/import/drivers.rs') {
    for (const [, code, text] of source.matchAll(CHOSEN)) note(warnings, code, { crate, text: plain(text) });
  }
  if (path === 'services/deliveries/src/domain/undo.rs') {
    for (const [, code] of source.matchAll(CONSTANT)) note(notUndone, code, { crate });
  }
  // These crates read files and decide about their lines. Their remaining codes are about a file or a line.
  const ofLine =
    /^services\/deliveries\/src\/(?:domain\/(?:import|article)|commands\/import\/\w+)\.rs$/.test(path);
  if (!ofFile && !ofLine) continue;
  for (const [, code] of source.matchAll(new RegExp(CODE, 'g'))) {
    if (seen.has(code)) continue;
    const whole = /^(?:FILE|HEADER)_/.test(code);
    note(whole ? uploads : lines, code, { crate });
  }
}

const sorted = (map) => [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
const list = (set) => [...set].toSorted().join(', ');
const cell = (text) => text.replaceAll('|', '\\|');

const codes = new Set(Object.values(ANSWERS).flat());
const own = sorted(gateway).filter(([code]) => !codes.has(code) && !reasons.has(code));

const out = [
  '# Errors',
  '',
  '<!-- Made from the sources by scripts/docs-errors.mjs. -->',
  '',
  'Every refusal has a kind, a stable reason and a text that may be shown. The text may change, so compare',
  'kinds and reasons, and treat a reason that you do not know by its kind.',
  '',
  '| | Kind | Reason | Messages about fields | Seconds to wait, where it was refused only for now |',
  '|---|---|---|---|---|',
  '| gRPC | status code | `ErrorInfo` | `BadRequest` | `RetryInfo`, if it is known |',
  '| GraphQL, with HTTP 200 | `extensions.code` | `extensions.reason` | `extensions.properties.messages` | `extensions.retryAfter` |',
  '| HTTP | status; `code` is that of GraphQL | `reason` | `fields`, [not everywhere](http.md#refusals) | header `Retry-After` |',
  '',
  'Over HTTP, `OBJECT_TOO_LARGE` is 413 and `IDEMPOTENCY_KEY_REUSED` is 422. [http.md](http.md#refusals) names the',
  'addresses with statuses of their own. Causes go to the log and nowhere else.',
  '',
  '## Trying again',
  '',
  'What was refused changed nothing; only a refused report of the intake is stored, for administrators. Only after',
  '`ANSWER_LOST`, `COMMIT_UNKNOWN`, `INTERNAL`, HTTP 504 or no answer at all a change may have been saved. The kinds',
  'RateLimited, StorageFull and Unavailable pass by themselves, and Internal may; after any other, change the request',
  'first. These can be repeated as they are:',
  '',
  '- queries;',
  '- changes under an id that the client chose: `clientEventId`, `creationId`, `requestId`, `jobId`, the `id` of a bulk change,',
  '  an `Idempotency-Key`, the address of an upload. They take effect once;',
  '- changes that carry the `version` they are based on. If the first request was saved, the second one changes nothing: it is',
  '  refused as outdated (`DELIVERY_CHANGED`), unless the record is already as requested;',
  '- new records with a name or id of their own, such as deliveries, drivers, users and sources. The second request is refused',
  '  with AlreadyExists.',
  '',
  '## Kinds',
  '',
  '| Kind | gRPC code | GraphQL code | HTTP status |',
  '|---|---|---|---|',
  ...Object.entries(ANSWERS).map(([kind, [rpc, graphql, http]]) => `| ${kind} | ${rpc} | ${graphql} | ${http} |`),
  '',
  '## Reasons',
  '',
  'A … stands for a part that depends on the case.',
  '',
  '| Reason | Kind | Text | Made by |',
  '|---|---|---|---|',
  ...sorted(reasons).map(
    ([code, it]) => `| \`${code}\` | ${list(it.kinds)} | ${cell([...it.texts].join(' / '))} | ${list(it.crates)} |`,
  ),
  '',
  '## Refused by the gateway',
  '',
  'Before any service is asked, a request can be refused with one of these as its code.',
  '',
  ...own.map(([code]) => `- \`${code}\``),
  '',
  '## Refused files',
  '',
  'An import that ends as failed carries one of these, and a text that says what to do. `saveImportMapping` is refused with one of',
  'them as the reason if the values of the file contradict what was chosen.',
  '',
  '| Code | Text |',
  '|---|---|',
  ...sorted(uploads).map(([code, it]) => `| \`${code}\` | ${cell([...it.texts].join(' / '))} |`),
  '',
  '## Refused lines',
  '',
  'An imported line that is refused carries one of these, with its column and a text.',
  '',
  ...sorted(lines).map(([code]) => `- \`${code}\``),
  '',
  '## Warnings of an import',
  '',
  'What was imported although somebody should look at it.',
  '',
  '| Code | Text |',
  '|---|---|',
  ...sorted(warnings).map(([code, it]) => `| \`${code}\` | ${cell([...it.texts].join(' / '))} |`),
  '',
  '## Not undone',
  '',
  'A delivery that an undo left unchanged has one of these as its `code`.',
  '',
  ...sorted(notUndone).map(([code]) => `- \`${code}\``),
];
await settle('docs/errors.md', `${out.join('\n').trimEnd()}\n`, 'node scripts/docs-errors.mjs');
