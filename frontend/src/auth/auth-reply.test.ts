import { expect, it } from 'vitest';
import { replyFailure } from './auth-reply';

it.each([{}, { id: 'u1' }, { message: 'Your account was made.' }])('finds no refusal in %j', (reply) => {
  expect(replyFailure(reply)).toBeUndefined();
});

it('takes the text of a refusal as it is', () => {
  expect(replyFailure({ error: 'Signup flow is not enabled', code: 'FAILED_PRECONDITION' })).toEqual({
    kind: 'server',
    message: 'Signup flow is not enabled',
    code: 'FAILED_PRECONDITION',
    fields: {},
  });
});

it('knows what is wrong with which field', () => {
  const fields = { password: ['Password must have 8 to 128 characters'] };
  expect(replyFailure({ error: 'Password must have 8 to 128 characters', fields })).toEqual({
    kind: 'input',
    message: 'Errors prevented this form from being saved',
    detail: 'Password must have 8 to 128 characters',
    fields,
  });
});
