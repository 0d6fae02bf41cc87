import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { CodeInput } from './code-input';
import { Field } from './field';

const REJECTED = 'Digits only';

function Controlled({ onChange }: { onChange: (value: string) => void }) {
  const [code, setCode] = useState('');
  return (
    <Field label="Code" hint="6 to 12 digits">
      <CodeInput
        value={code}
        rejected={REJECTED}
        onChange={({ target }) => {
          setCode(target.value);
          onChange(target.value);
        }}
      />
    </Field>
  );
}

function open() {
  const onChange = vi.fn<(value: string) => void>();
  render(<Controlled onChange={onChange} />);
  const box = screen.getByLabelText<HTMLInputElement>('Code');
  return { user: userEvent.setup(), box, onChange };
}

it('takes every digit and asks for the keys of digits', async () => {
  const { user, box } = open();
  await user.type(box, '0123456789');
  expect(box).toHaveValue('0123456789');
  expect(box).toHaveAttribute('inputmode', 'numeric');
  expect(box).toHaveAccessibleDescription('6 to 12 digits');
  expect(screen.getByRole('status')).toHaveTextContent('');
});

it.each(['a', 'é', ' ', '-', '.', '+', 'e', '٣', '１', '😀'])('rejects %j, and says so', async (text) => {
  const { user, box, onChange } = open();
  await user.click(box);
  await user.paste(text);
  expect(box).toHaveValue('');
  expect(onChange.mock.calls.flat().join('')).toBe('');
  expect(screen.getByRole('status')).toHaveTextContent(REJECTED);
  await user.type(box, '7');
  expect(box).toHaveValue('7');
  expect(screen.getByRole('status')).toHaveTextContent('');
});

it('keeps the digits of what is pasted, however it is grouped, and cuts none of them', async () => {
  const { user, box, onChange } = open();
  await user.click(box);
  await user.paste(' 48-15 16 23 42 108 ');
  expect(box).toHaveValue('4815162342108');
  expect(onChange).toHaveBeenLastCalledWith('4815162342108');
});

it('keeps the caret where it was', async () => {
  const { user, box } = open();
  await user.type(box, '4816');
  await user.type(box, 'x15', { initialSelectionStart: 2, initialSelectionEnd: 2 });
  expect(box).toHaveValue('481516');
  expect(box.selectionStart).toBe(4);
});

it('shows dots where it is asked to', () => {
  render(<CodeInput aria-label="Code" masked rejected={REJECTED} />);
  expect(screen.getByLabelText('Code')).toHaveAttribute('type', 'password');
});
