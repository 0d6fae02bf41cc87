import { act, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Button } from './button';
import { Dialog, DialogContent } from './dialog';
import { useHiddenPage } from './hidden-page';
import { SidePanel } from './side-panel';
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

it('gives a toast that replaces another the time of its own type', () => {
  act(() => void toast('Deleted', { id: 'one', duration: 10_000 }));
  act(() => void toast.loading('Undoing', { id: 'one' }));
  pass(60_000);
  expect(screen.getByText('Undoing')).toBeInTheDocument();
  act(() => void toast.success('Undone', { id: 'one' }));
  pass(2000);
  expect(screen.queryByText('Undone')).not.toBeInTheDocument();
});

function HiddenPage() {
  useHiddenPage();
  return null;
}

it('lasts as long as ever when it was shown on a hidden page', async () => {
  const { unmount } = render(<HiddenPage />);
  act(() => void toast.error('Lost'));
  pass(60_000);
  expect(screen.getByText('Lost')).not.toBeVisible();
  unmount();
  await act(async () => undefined);
  expect(screen.getByText('Lost')).toBeVisible();
  pass(3999);
  expect(screen.getByText('Lost')).toBeInTheDocument();
  pass(1);
  expect(screen.queryByText('Lost')).not.toBeInTheDocument();
});

it('is one live region from the start, in which errors are alerts', () => {
  const region = document.querySelector('[aria-live="polite"]');
  expect(region).toBeEmptyDOMElement();
  act(() => void toast.success('Done'));
  act(() => void toast.error('Lost'));
  expect(region).toContainElement(screen.getByText('Done'));
  expect(screen.getByRole('alert')).toHaveTextContent('Lost');
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
});

it('keeps a toast while its button has the focus, and no longer once another toast replaces it', () => {
  const undo = () => void toast.success('Undone', { id: 'one' });
  act(() => void toast(<button onClick={undo}>Undo</button>, { id: 'one', duration: 10_000 }));
  pass(9000);
  act(() => screen.getByText('Undo').focus());
  pass(60_000);
  act(() => screen.getByText('Undo').blur());
  pass(999);
  act(() => screen.getByText('Undo').focus());
  pass(60_000);
  act(() => screen.getByText('Undo').click());
  expect(screen.getByText('Undone')).toBeInTheDocument();
  // The library adds the pause to all toasts.
  pass(62_000);
  expect(screen.queryByText('Undone')).not.toBeInTheDocument();
});

it('shows at most 20 at once, the newest of them', () => {
  act(() => {
    for (let count = 1; count <= 25; count += 1) toast.error(`Number ${count}.`);
  });
  expect(screen.getAllByRole('alert')).toHaveLength(20);
  expect(screen.getByText('Number 25.')).toBeInTheDocument();
  expect(screen.queryByText('Number 5.')).not.toBeInTheDocument();
});

describe('a toast with a button', () => {
  const undo = vi.fn<() => void>(() => void toast.success('Undone', { id: 'one' }));
  const offer = () => act(() => void toast.withAction('Changed', { id: 'one', label: 'Undo', run: undo }));
  const button = () => screen.getByRole('button', { name: 'Undo' });
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });

  it('is reached by a key, which it names, and gives the focus back', async () => {
    render(<Button>List</Button>);
    const list = screen.getByRole('button', { name: 'List' });
    act(() => list.focus());
    press('F8');
    expect(list).toHaveFocus();
    offer();
    expect(screen.getByRole('region', { name: 'Notification' })).toHaveTextContent('Press F8');
    expect(button()).toHaveAttribute('aria-keyshortcuts', 'F8');
    press('F8');
    expect(button()).toHaveFocus();
    pass(60_000);
    press('F8');
    expect(list).toHaveFocus();
    press('F8');
    press('Escape');
    expect(list).toHaveFocus();
    press('F8');
    fireEvent.click(button());
    expect(undo).toHaveBeenCalledOnce();
    await act(async () => undefined);
    expect(list).toHaveFocus();
  });

  it('is left by Escape without closing a side panel or scrolling', () => {
    const onClose = vi.fn<() => void>();
    render(
      <SidePanel title="Drivers" onClose={onClose}>
        <Button>List</Button>
      </SidePanel>,
    );
    const list = screen.getByRole('button', { name: 'List' });
    act(() => list.focus());
    offer();
    press('F8');
    expect(button()).toHaveFocus();
    const focus = vi.spyOn(list, 'focus');
    press('Escape');
    expect(list).toHaveFocus();
    expect(focus).toHaveBeenCalledWith({ preventScroll: true });
    expect(onClose).not.toHaveBeenCalled();
    press('Escape');
    expect(onClose).toHaveBeenCalledOnce();
  });

  it('lasts ten seconds, which begin when no dialog is open', async () => {
    const { rerender } = render(
      <Dialog open>
        <DialogContent title="Assign driver" />
      </Dialog>,
    );
    offer();
    pass(60_000);
    press('F8');
    expect(screen.getByText('Undo')).not.toHaveFocus();
    rerender(<Dialog open={false} />);
    await act(async () => undefined);
    pass(9999);
    expect(button()).toBeInTheDocument();
    pass(1);
    expect(screen.queryByText('Changed')).not.toBeInTheDocument();
  });
});
