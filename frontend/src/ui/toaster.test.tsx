import { act, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { toast, Toaster } from './toast';

beforeEach(() => {
  vi.useFakeTimers();
  const { container } = render(<Toaster />);
  // The library keeps the hover state globally, and an earlier test may have left it set.
  if (container.firstElementChild) fireEvent.mouseLeave(container.firstElementChild);
});

const pass = (milliseconds: number) => act(() => void vi.advanceTimersByTime(milliseconds));

it.each([
  ['error', 4000],
  ['success', 2000],
] as const)('shows %s for %i ms', (kind, duration) => {
  act(() => void toast[kind]('Done'));
  pass(duration - 1);
  expect(screen.getByText('Done')).toBeInTheDocument();
  pass(1);
  expect(screen.queryByText('Done')).not.toBeInTheDocument();
});

it('shows loading until it is dismissed', () => {
  let id = '';
  act(() => void (id = toast.loading('Saving')));
  pass(3_600_000);
  expect(screen.getByText('Saving')).toBeInTheDocument();
  act(() => toast.dismiss(id));
  expect(screen.queryByText('Saving')).not.toBeInTheDocument();
});

it('shows at most 20 at once, the newest of them', () => {
  act(() => {
    for (let count = 1; count <= 25; count += 1) toast.error(`Number ${count}.`);
  });
  expect(screen.getAllByRole('alert')).toHaveLength(20);
  expect(screen.getByText('Number 25.')).toBeInTheDocument();
  expect(screen.queryByText('Number 5.')).not.toBeInTheDocument();
});
