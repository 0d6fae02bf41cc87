import { fireEvent, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { FilterValue } from './filters-codec';
import type { Lookup } from './resource';
import { TextValuesEditor } from './text-values-editor';

vi.mock('urql', () => ({ useClient: () => 'client' }));

const files: FilterValue[] = [
  { label: 'lara (Lara Cruz)', value: 'lara' },
  { label: 'Monday.csv', value: 'u1' },
  { label: 'Monday.csv', value: 'u2' },
];
const lookup: Lookup = { limit: 10, search: () => Promise.resolve(files) };

function Editor() {
  const [draft, setDraft] = useState<{ values: FilterValue[]; text: string }>({ values: [], text: '' });
  return (
    <TextValuesEditor
      {...draft}
      lookup={lookup}
      freeText={false}
      onChange={(values, text) => setDraft({ values, text })}
    />
  );
}

const box = () => screen.getByRole('combobox');
const chosen = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);

it('without free text shows only what will be saved once it is left', async () => {
  const user = userEvent.setup();
  render(<Editor />);
  await screen.findAllByRole('option');
  // Neither scrolling the suggestions nor another window leaves it.
  await user.type(box(), ' LARA ');
  await user.click(screen.getByRole('listbox'));
  fireEvent.blur(box());
  expect(box()).toHaveValue(' LARA ');
  await user.tab();
  expect(chosen()).toEqual(['lara (Lara Cruz)']);
  expect(box()).toHaveValue('');
  // Part of a suggestion is not chosen, nor is one of several that look the same.
  for (const text of ['Mon', 'Monday.csv']) {
    await user.type(box(), text);
    await user.tab();
    expect(box()).toHaveValue('');
  }
  expect(chosen()).toHaveLength(1);
});
