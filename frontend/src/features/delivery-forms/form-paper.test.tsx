import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import recorded from '@/test/form-descriptions.json';
import { formDescription, formPhotos, formPicture } from '@/test/forms';
import { FormPaper } from './form-paper';
import type { FormDescription } from './queries';
// Loaded up front, so that no test waits for a lazy import.
import '@/ui/qr-code';

vi.mock('./use-picture', () => ({ usePicture: () => ({ file: { status: 'ready', address: 'blob:1' } }) }));

const squeezed = (text: string | null) => (text ?? '').replace(/\s/gu, '');

it('shows a photo whole, since nothing can be enlarged on paper', async () => {
  const picture = formPicture('p1');
  render(
    <FormPaper
      form={{ deliveryId: 'DR-1', formVersion: 1, status: 'Undelivered', verificationCode: 'R1CT-0PBQ' }}
      description={formDescription({ photos: formPhotos(picture) }) as FormDescription}
      paper="a4"
    />,
  );
  expect(await screen.findByRole('img', { name: picture.alt })).toHaveClass('object-contain');
});

it('marks each printed page with its delivery and code', () => {
  const { unmount } = render(
    <FormPaper
      form={{ deliveryId: 'DR-"1"', formVersion: 1, status: 'Undelivered', verificationCode: 'R1CT-0PBQ' }}
      description={formDescription() as FormDescription}
      paper="a4"
    />,
  );
  const mark = () => document.documentElement.style.getPropertyValue('--page-mark');
  expect(mark()).toBe('"DR-\\"1\\" · R1CT-0PBQ"');
  unmount();
  expect(mark()).toBe('');
});

// The server's tests record the text of its PDFs for these descriptions. The printed form must have the same text.
it.each(recorded.map(({ description, words }) => ({ name: description.deliveryId, description, words })))(
  'says of $name what the PDF says, in the same order',
  async ({ description, words }) => {
    render(
      <FormPaper
        form={{ deliveryId: description.deliveryId, formVersion: 2, status: 'Rejected', verificationCode: 'R1CT-0PBQ' }}
        description={description as FormDescription}
        paper="a4"
      />,
    );
    await screen.findByRole('img', { name: description.qrCode });
    expect(squeezed(screen.getByRole('article').textContent)).toBe(squeezed(words.join('')));
  },
);
