import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { FilterValue } from './filters-codec';
import type { Lookup } from './resource';
import { TextValuesEditor } from './text-values-editor';
import { LOOKUP_DEBOUNCE_MS } from './use-lookup';

vi.mock('urql', () => ({ useClient: () => 'client' }));

const files: FilterValue[] = [
  { label: 'lara (Lara Cruz)', value: 'lara' },
  { label: 'Monday.csv', value: 'u1' },
  { label: 'Monday.csv', value: 'u2' },
];
const lookup: Lookup = { limit: 10, search: () => Promise.resolve(files) };

interface EditorProps {
  lookup: Lookup;
  onApply?: (values: FilterValue[]) => void;
}

function Editor({ lookup, onApply }: EditorProps) {
  const [draft, setDraft] = useState<{ values: FilterValue[]; text: string }>({ values: [], text: '' });
  return (
    <>
      <TextValuesEditor
        {...draft}
        lookup={lookup}
        freeText={false}
        onChange={(values, text) => setDraft({ values, text })}
      />
      <button type="button" onClick={() => onApply?.(draft.values)}>
        Apply
      </button>
    </>
  );
}

const UNSETTLED = 'Choose one of the suggestions, or clear this field.';
const box = () => screen.getByRole('combobox');
const chosen = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);

it('without free text takes what was typed in full once it is left, and keeps other text with a message', async () => {
  const user = userEvent.setup();
  render(<Editor lookup={lookup} />);
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
    await waitFor(() => expect(box()).toHaveAccessibleDescription(expect.stringContaining(UNSETTLED)));
    expect(box()).toHaveValue(text);
    await user.clear(box());
    expect(box()).not.toHaveAccessibleDescription(expect.stringContaining(UNSETTLED));
  }
  expect(chosen()).toHaveLength(1);
  // What is chosen already needs no message.
  await user.type(box(), 'lara');
  await user.tab();
  await waitFor(() => expect(box()).toHaveValue(''));
  expect(chosen()).toHaveLength(1);
});

it('waits for the suggestions of a text that was just typed, and for the end of a click elsewhere', async () => {
  const search = (_: unknown, text: string) => Promise.resolve(text === 'lara' ? files : []);
  const user = userEvent.setup();
  render(<Editor lookup={{ limit: 10, search }} />);
  await user.type(box(), 'lara');
  await user.pointer({ keys: '[MouseLeft>]', target: document.body });
  expect(box()).not.toHaveFocus();
  await new Promise((resolve) => setTimeout(resolve, 2 * LOOKUP_DEBOUNCE_MS));
  expect(box()).toHaveValue('lara');
  await user.pointer('[/MouseLeft]');
  expect(chosen()).toEqual(['lara (Lara Cruz)']);
  await user.clear(box());
  await user.type(box(), 'Ben');
  await user.tab();
  expect(screen.queryByText(UNSETTLED)).not.toBeInTheDocument();
  await screen.findByText(UNSETTLED);
  expect(box()).toHaveValue('Ben');
});

it('has the value that was typed when the button that is clicked next reads it', async () => {
  const onApply = vi.fn<(values: FilterValue[]) => void>();
  const user = userEvent.setup();
  render(<Editor lookup={lookup} onApply={onApply} />);
  await user.type(box(), 'lara');
  await waitFor(() => expect(screen.getByRole('listbox')).toHaveAttribute('aria-busy', 'false'));
  const button = screen.getByRole('button', { name: 'Apply' });
  const send = (type: string, buttons: number) => button.dispatchEvent(new MouseEvent(type, { bubbles: true, buttons }));
  // Without act, React renders as in a browser, where only microtasks run between the release and the click.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  const microtasks = async () => {
    // oxlint-disable-next-line no-await-in-loop -- each turn may queue the next
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  send('mousedown', 1);
  button.focus();
  await microtasks();
  send('mouseup', 0);
  await microtasks();
  send('click', 0);
  expect(onApply).toHaveBeenCalledWith([files[0]]);
});
