import { screen } from '@testing-library/react';
import { Suspense, useState } from 'react';
import { expect, it } from 'vitest';
import { startFakeServer } from '@/test/fake-server';
import { renderPage } from '@/test/render';
import { lazyPart } from './lazy-part';

const Dialog = lazyPart(
  (): Promise<{ default: (props: { onClose: () => void }) => null }> => Promise.reject(new Error('chunk')),
  ({ onClose }) => onClose(),
);

function Page() {
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

it('leaves the page as it is when its code does not arrive, and says so', async () => {
  startFakeServer();
  const { user } = renderPage(<Page />);
  await user.type(await screen.findByRole('textbox', { name: 'Note' }), 'typed');
  await user.click(screen.getByRole('button', { name: 'Open' }));
  expect(
    await screen.findByText("Part of this page couldn't be loaded. Save what you can, then reload the page."),
  ).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Open', expanded: false })).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Note' })).toHaveValue('typed');
});
