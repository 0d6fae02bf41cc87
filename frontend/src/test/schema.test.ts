import { expect, it } from 'vitest';
import { executeFake, takeProblems } from './schema';

const query = `query Customers($where: [Filter!]) {
  found: customers(page: { where: $where }) { name: customerName version phone createdAt }
}`;
const bayan = { name: 'Bayan Mart', version: 3, phone: null, createdAt: '2026-03-02T01:12:00Z' };

function problemsOf(data: unknown, variables: Record<string, unknown> = {}): string[] {
  executeFake(query, variables, data);
  return takeProblems();
}

it('takes an answer as the query asks for it, and leaves out what it did not ask for', () => {
  expect(executeFake(query, {}, { found: [{ ...bayan, code: 'C-1' }] })).toEqual({ found: [bayan] });
  expect(takeProblems()).toEqual([]);
});

it('says which field of an answer is missing or of another type', () => {
  const { version: _, ...unversioned } = bayan;
  expect(problemsOf({ found: [unversioned] })).toEqual(['Customers at found.0.version: Customer.version is missing']);
  expect(problemsOf({ found: [{ ...bayan, phone: 17 }] })).toEqual([
    'Customers at found.0.phone: Customer.phone is no string',
  ]);
  expect(problemsOf({ found: [{ ...bayan, name: null }] })).toEqual([
    'Customers at found.0.name: Cannot return null for non-nullable field Customer.customerName.',
  ]);
});

it('says which variable the server would refuse', () => {
  const [problem] = problemsOf({ found: [] }, { where: [{ key: 'id', operator: 'contains' }] });
  expect(problem).toContain('Field "values" of required type');
});
