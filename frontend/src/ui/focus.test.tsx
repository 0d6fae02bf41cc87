import { screen, waitFor } from '@testing-library/react';
import { X } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { renderParts } from '@/test/render';
import { Button, IconButton } from './button';
import { ConfirmDialog, Dialog, DialogContent, DialogTrigger } from './dialog';
import { useFocusFallback } from './use-focus-fallback';

describe('the focus', () => {
  function Pager({ onUse }: { onUse: () => void }) {
    const [page, setPage] = useState(1);
    const use = () => {
      onUse();
      setPage(page + 1);
    };
    return (
      <>
        <Button disabled={page === 3} onClick={use}>
          Next
        </Button>
        <IconButton icon={X} label="Last" disabled={page === 3} onClick={() => setPage(3)} />
        <Button onClick={() => setPage(1)}>Again</Button>
      </>
    );
  }
  const button = (name: string) => screen.getByRole('button', { name });

  it('stays on a button that becomes disabled, which then does nothing', async () => {
    const onUse = vi.fn<() => void>();
    const { user } = await renderParts(<Pager onUse={onUse} />);
    await user.click(button('Next'));
    await user.click(button('Next'));
    expect(button('Next')).toHaveFocus();
    expect(button('Next')).toHaveAttribute('aria-disabled', 'true');
    expect(button('Last')).toBeDisabled();
    await user.keyboard('{Enter} ');
    await user.click(button('Next'));
    expect(onUse).toHaveBeenCalledTimes(2);
    await user.click(button('Again'));
    await user.click(button('Last'));
    expect(button('Last')).toHaveFocus();
    expect(button('Next')).toBeDisabled();
    await user.tab();
    expect(button('Again')).toHaveFocus();
    expect(button('Last')).toBeDisabled();
  });

  it('stays on a submit button, which then does not submit', async () => {
    const onUse = vi.fn<() => void>();
    function Saved() {
      const [isSaved, setSaved] = useState(false);
      return (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onUse();
            setSaved(true);
          }}
        >
          <Button type="submit" disabled={isSaved}>
            Save
          </Button>
        </form>
      );
    }
    const { user } = await renderParts(<Saved />);
    await user.click(button('Save'));
    expect(button('Save')).toHaveFocus();
    await user.keyboard('{Enter}');
    await user.click(button('Save'));
    expect(onUse).toHaveBeenCalledOnce();
  });

  function Rows() {
    const [rows, setRows] = useState(['Ana', 'Ben', 'Cora']);
    const [asking, setAsking] = useState<string>();
    return (
      <>
        <div role="region" aria-label="People" tabIndex={-1}>
          <ul>
            {rows.map((name) => (
              <li key={name}>
                <a href="/x">{name}</a>
                <Button onClick={() => setAsking(name)}>Delete {name}</Button>
              </li>
            ))}
          </ul>
        </div>
        {asking && (
          <ConfirmDialog
            title="Delete?"
            text="It is gone then."
            confirm="Delete"
            busy="Deleting"
            onConfirm={() => {
              setRows(rows.filter((name) => name !== asking));
              return Promise.resolve(undefined);
            }}
            onClose={() => setAsking(undefined)}
          />
        )}
      </>
    );
  }

  it('goes to the next row, or else the previous one or the list, when a dialog deletes the row of its button', async () => {
    const { user } = await renderParts(<Rows />);
    for (const [name, next] of [
      ['Ben', 'Cora'],
      ['Cora', 'Ana'],
    ] as const) {
      await user.click(button(`Delete ${name}`));
      await user.click(button('Delete'));
      await waitFor(() => expect(screen.getByRole('link', { name: next })).toHaveFocus());
    }
    await user.click(button('Delete Ana'));
    await user.click(button('Delete'));
    await waitFor(() => expect(screen.getByRole('region', { name: 'People' })).toHaveFocus());
  });

  it('goes to the heading of the page when a dialog deletes its button, which is in no list', async () => {
    function Announcement() {
      const [isThere, setThere] = useState(true);
      return (
        isThere && (
          <Dialog>
            <DialogTrigger asChild>
              <Button>Delete</Button>
            </DialogTrigger>
            <DialogContent title="Delete?" footer={<Button onClick={() => setThere(false)}>Yes</Button>} />
          </Dialog>
        )
      );
    }
    const { user } = await renderParts(<Announcement />);
    await user.click(button('Delete'));
    await user.click(button('Yes'));
    await waitFor(() => expect(screen.getByRole('heading', { name: 'Parts' })).toHaveFocus());
  });

  it('goes to the fallback of a container when its control disappears, also to one that appears later', async () => {
    function Part() {
      const [step, setStep] = useState(0);
      const ref = useFocusFallback<HTMLDivElement>((container) => container.querySelector('input'));
      return (
        <div ref={ref}>
          {step === 0 && <Button onClick={() => setStep(1)}>Draw</Button>}
          {step === 2 && <input aria-label="Pad" />}
          <LoadLater when={step === 1} onLoad={() => setStep(2)} />
        </div>
      );
    }
    const { user } = await renderParts(<Part />);
    const focus = vi.spyOn(HTMLElement.prototype, 'focus');
    await user.click(button('Draw'));
    expect(await screen.findByRole('textbox', { name: 'Pad' })).toHaveFocus();
    expect(focus).toHaveBeenLastCalledWith({ preventScroll: true });
  });
});

function LoadLater({ when, onLoad }: { when: boolean; onLoad: () => void }) {
  const load = useEffectEvent(onLoad);
  useEffect(() => {
    if (!when) return undefined;
    const timer = setTimeout(() => load(), 20);
    return () => clearTimeout(timer);
  }, [when]);
  return when && <p>Loading</p>;
}
