import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import recorded from '@/test/form-descriptions.json';
import { FormPaper } from './form-paper';
import type { FormDescription } from './queries';
// Loaded up front, so that no test waits for a lazy import.
import '@/ui/qr-code';

vi.mock('./use-picture', () => ({ usePicture: () => ({ status: 'ready', address: 'blob:1' }) }));

const squeezed = (text: string | null) => (text ?? '').replace(/\s/gu, '');

// The server's tests record the text of its PDFs for these descriptions. The printed form must have the same text.
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
