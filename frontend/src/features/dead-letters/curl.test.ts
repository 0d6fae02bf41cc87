import { expect, it } from 'vitest';
import { letter } from '@/test/dead-letters';
import { asCurl } from './curl';
import type { Letter } from './queries';

const of = (more: object) => letter('1', more) as unknown as Letter;

it('is one command, whatever is in the message', () => {
  const hostile = of({ payload: `{"note":"it's $(id) \`id\`"}`, requestHeaders: '{"webhook-id":"msg_1","webhook-signature":"v1,••••"}' });
  expect(asCurl(hostile, undefined)).toBe(
    [
      `curl -X POST 'https://erp.example/hook'`,
      `-H 'webhook-id: msg_1'`,
      `-H 'webhook-signature: v1,••••'`,
      `--data-raw '{"note":"it'\\''s $(id) \`id\`"}'`,
    ].join(' \\\n  '),
  );
});

it('sends what the attempt sent, and works before the first attempt', () => {
  const edited = of({ requestHeaders: null, editedPayload: '{"a":2}' });
  expect(asCurl(edited, undefined)).toContain(`-H 'content-type: application/json' \\\n  --data-raw '{"a":2}'`);
  const attempt = { ...edited.attemptLog[0], requestBody: '{"a":1}' } as Letter['attemptLog'][number];
  expect(asCurl(edited, attempt)).toContain(`--data-raw '{"a":1}'`);
});
