import { act, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setHidden } from '@/test/clock';
import { setVisibleTimeout, usePolling } from './use-polling';

const called = vi.fn<() => void>();

function Poller({ every }: { every: number | undefined }) {
  usePolling(called, every);
  return null;
}

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTime(milliseconds));

beforeEach(() => {
  vi.useFakeTimers();
  called.mockReset();
});

afterEach(() => {
  vi.useRealTimers();
});

it('calls back every so often, until the page is left', () => {
  const { unmount } = render(<Poller every={1000} />);
  pass(999);
  expect(called).not.toHaveBeenCalled();
  pass(2001);
  expect(called).toHaveBeenCalledTimes(3);
  unmount();
  pass(5000);
  expect(called).toHaveBeenCalledTimes(3);
});

it('rests while nobody looks, and makes up for it at once', () => {
  render(<Poller every={1000} />);
  setHidden(true);
  pass(5000);
  expect(called).not.toHaveBeenCalled();
  setHidden(false);
  expect(called).toHaveBeenCalledTimes(1);
  setHidden(true);
  setHidden(false);
  expect(called).toHaveBeenCalledTimes(1);
});

it('calls back once after a delay, or when the user returns after it', () => {
  setVisibleTimeout(called, 1000);
  setHidden(true);
  setHidden(false);
  expect(called).not.toHaveBeenCalled();
  pass(1000);
  expect(called).toHaveBeenCalledTimes(1);

  setVisibleTimeout(called, 1000);
  const cancel = setVisibleTimeout(called, 1000);
  setHidden(true);
  pass(5000);
  expect(called).toHaveBeenCalledTimes(1);
  cancel();
  setHidden(false);
  setHidden(false);
  expect(called).toHaveBeenCalledTimes(2);
});

it('never calls where no time is given', () => {
  render(<Poller every={undefined} />);
  pass(60_000);
  expect(called).not.toHaveBeenCalled();
});
