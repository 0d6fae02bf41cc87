import { screen } from '@testing-library/react';
import { type ComponentType, type ReactNode, Suspense, useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { startFakeServer } from '@/test/fake-server';
import { renderPage } from '@/test/render';
import { lazyPart } from './lazy-part';

interface DialogProps {
  onClose: () => void;
}

const fail = () => Promise.reject(new Error('chunk'));
const load = vi.fn<() => Promise<{ default: (props: DialogProps) => ReactNode }>>(fail);

/** Renders a page with a part that wasn't loaded before. */
function open() {
  const Dialog = lazyPart(load, ({ onClose }) => onClose());
  return renderPage(<Page Dialog={Dialog} />);
}

function Page({ Dialog }: { Dialog: ComponentType<DialogProps> }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <input aria-label="Note" />
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(true)}>
        Open
      </button>
      {isOpen && (
        <Suspense>
          <Dialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

const unreachable = "Part of this page couldn't be loaded. Check your connection and try again.";

beforeEach(() => {
  load.mockReset();
  load.mockImplementation(fail);
  startFakeServer();
});

it('leaves the page as it is when its code does not arrive, and says so', async () => {
  const { user } = open();
  await user.type(await screen.findByRole('textbox', { name: 'Note' }), 'typed');
  await user.click(screen.getByRole('button', { name: 'Open' }));
  expect(await screen.findByText(unreachable)).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Open', expanded: false })).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Note' })).toHaveValue('typed');
  expect(load).toHaveBeenCalledOnce();
});

it('is loaded again when it is shown again', async () => {
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Open' }));
  expect(await screen.findByText(unreachable)).toBeInTheDocument();
  load.mockResolvedValue({ default: () => <p>Loaded</p> });
  await user.click(screen.getByRole('button', { name: 'Open', expanded: false }));
  expect(await screen.findByText('Loaded')).toBeInTheDocument();
});

it('asks for a reload if the server has a newer build', async () => {
  startFakeServer({
    paths: { '/': () => new Response('<script type="module" src="/assets/index-new.js"></script>') },
  });
  document.head.insertAdjacentHTML('beforeend', '<script type="module" src="/assets/index-old.js"></script>');
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Open' }));
  expect(
    await screen.findByText("Part of this page couldn't be loaded. Save what you can, then reload the page."),
  ).toBeInTheDocument();
});
