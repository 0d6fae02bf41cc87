import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import recorded from '@/test/form-descriptions.json';
import { FormPaper } from './form-paper';
import type { FormDescription } from './queries';
// Fetched ahead, so that no test waits for it on a busy machine.
import '@/ui/qr-code';

vi.mock('./use-picture', () => ({ usePicture: () => ({ status: 'ready', address: 'blob:1' }) }));

const squeezed = (text: string | null) => (text ?? '').replace(/\s/gu, '');

// The server's own tests show that its PDF has these words of these descriptions, and record them here.
it.each(recorded.map(({ description, words }) => ({ name: description.deliveryId, description, words })))(
  'says of $name what the PDF says, in the same order',
  async ({ description, words }) => {
    render(
      <FormPaper
        form={{ deliveryId: description.deliveryId, formVersion: 2, status: 'Rejected' }}
        description={description as FormDescription}
        paper="a4"
      />,
    );
    await screen.findByRole('img', { name: description.qrCode });
    expect(squeezed(screen.getByRole('article').textContent)).toBe(squeezed(words.join('')));
  },
);
