import { expect, it } from 'vitest';
import { axisNames } from './axis-names';

const categoriesOf = (...labels: string[]) => labels.map((label) => ({ id: label, label }));
const days = categoriesOf('Nov 20', 'Nov 21', 'Nov 22', 'Nov 23', 'Nov 24', 'Nov 25', 'Nov 26');

it('names every day where there is room', () => {
  expect([...axisNames({ categories: days, isTime: true }, 600).values()]).toEqual(days.map(({ label }) => label));
});

it('names fewer days on a phone, and cuts none', () => {
  expect([...axisNames({ categories: days, isTime: true }, 290).values()]).toEqual(['Nov 20', 'Nov 22', 'Nov 24', 'Nov 26']);
  expect([...axisNames({ categories: days, isTime: true }, 40).values()]).toEqual(['Nov 20']);
});

it('names all other categories, shortened if necessary', () => {
  const statuses = categoriesOf('Complete no variance', 'Rejected');
  expect([...axisNames({ categories: statuses, isTime: false }, 160).values()]).toEqual(['Complete n…', 'Rejected']);
});
