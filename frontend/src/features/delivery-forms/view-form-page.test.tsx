import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { FakeSocket } from '@/test/fake-socket';
import {
  deliveryForm,
  formDescription,
  formPhotos,
  formPicture,
  formVersion,
  notice,
} from '@/test/forms';
import { renderRoutes } from '@/test/render';
import { LOGO_PATH } from '@/test/settings';
// Loaded up front, so that no test waits for a lazy import.
import '@/ui/qr-code';
import './view-form-page';

vi.mock('@/lib/download-blob', () => ({ downloadBlob: vi.fn<() => void>() }));
const { downloadBlob } = await import('@/lib/download-blob');

let server: FakeServer;
let delivery: Record<string, unknown> | null;
let forms: Record<number, object>;
let incomplete: object;
let answerIncomplete: () => Answer | Promise<Answer>;
let pdf: () => Response;
let pictures: Record<string, () => Response>;
let isPresignDown: boolean;

beforeEach(() => {
  delivery = {
    __typename: 'Delivery',
    id: 'DR-1184102',
    deliverystatus: 'Complete_With_Variance',
    formVersion: 2,
    forms: [formVersion(2), formVersion(1, { supersededBy: 2 })],
  };
  forms = {
    1: deliveryForm(1, {
      supersededBy: 2,
      verificationCode: 'AAAA-BBBB',
      description: formDescription({ marks: ['Replaced'] }),
    }),
    2: deliveryForm(2),
  };
  incomplete = deliveryForm(2);
  answerIncomplete = () => ({ data: { deliveryForm: incomplete } });
  pdf = () => new Response('%PDF');
  pictures = {};
  isPresignDown = false;
  let count = 0;
  vi.spyOn(URL, 'createObjectURL').mockImplementation(() => `blob:${(count += 1)}`);
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => undefined);
});

function show(address = '/forms/DR-1184102') {
  server = startFakeServer({
    user: { ...rosa, roles: ['viewer'] },
    operations: {
      ViewForm: ({ formVersion: asked }) => ({
        data: {
          delivery,
          deliveryForm: delivery ? (forms[Number(asked ?? delivery.formVersion)] ?? null) : null,
        },
      }),
      IncompleteForm: () => answerIncomplete(),
      MutatePresignedUrl: ({ url }) => {
        if (isPresignDown) throw new TypeError('lost');
        return {
          data: {
            mutatePresignedUrl: {
              __typename: 'PresignedUrl',
              presignedUrl: `${String(url)}?signature=1`,
            },
          },
        };
      },
    },
    paths: {
      '/delivery-forms/DR-1184102.pdf': () => pdf(),
      ...pictures,
    },
  });
  return renderRoutes(declarations, address);
}

const paper = (version = 2) =>
  screen.findByRole('article', { name: `Delivery form DR-1184102, version ${version}` });
const asked = (name: string) => server.calls.filter((call) => call.name === name);

describe('the paper', () => {
  it('shows what was delivered, when, where and to whom', async () => {
    show();
    const sheet = await paper();
    expect(sheet).toHaveTextContent('Habagat Logisticsdispatch@habagat.example');
    expect(sheet).toHaveTextContent('Dispatch Date and TimeNov 20, 2026 9:30 AM');
    expect(sheet).toHaveTextContent('DriverRico SantosDRV-014');
    expect(sheet).toHaveTextContent('Bayan Mart Makati6780 Ayala Avenue, Makati City');
    expect(sheet).toHaveTextContent('11:08 AMRecorded late');
    expect(sheet).toHaveTextContent('No signatureCarla TanColleague');
    expect(sheet).toHaveTextContent('Verification code 7KQ2-M4XD');
    expect(sheet).toHaveAttribute('data-theme', 'light');
    await within(sheet).findByRole('img', { name: 'QR code that opens this form' });
    await expectAccessible();
  });

  it('bears the logo, and the name when the picture cannot be had', async () => {
    forms[2] = deliveryForm(2, { description: formDescription({ logoUrl: LOGO_PATH }) });
    show();
    const sheet = within(await paper());
    const picture = await sheet.findByRole('img', { name: 'Habagat Logistics' });
    expect(picture).toHaveAttribute('src', LOGO_PATH);
    fireEvent.error(picture);
    expect(sheet.getByText('Habagat Logistics')).toBeVisible();
    expect(sheet.queryByRole('img', { name: 'Habagat Logistics' })).not.toBeInTheDocument();
  });

  it('marks the line that differs, with its reason below', async () => {
    show();
    const sheet = within(await paper());
    expect(sheet.getByRole('row', { name: /Goods 10/ })).toHaveTextContent('10Goods 104040');
    const short = sheet.getByRole('row', { name: /Goods 20/ });
    expect(short).toHaveTextContent('2422Damaged in transit');
    expect(short).toHaveClass('font-semibold');
    expect(sheet.getByText('Leaked')).toBeInTheDocument();
    expect(sheet.getByRole('row', { name: /Total, 2 lines/ })).toHaveTextContent('6462');
  });

  it('shows pictures that were fetched by a signed link', async () => {
    pictures['/objects/s1.jpg'] = () => new Response('ink');
    pictures['/objects/p1.jpg'] = () => new Response('', { status: 403 });
    const description = formDescription();
    forms[2] = deliveryForm(2, {
      description: {
        ...description,
        signature: { ...description.signature, picture: formPicture('s1', { alt: 'Signature of Carla Tan' }) },
        photos: formPhotos(formPicture('p1')),
        files: { __typename: 'FormFiles', label: 'Also kept', files: [notice('Document.', 'dr.pdf')] },
      },
    });
    const { unmount } = show();
    const sheet = within(await paper());
    const signature = await sheet.findByRole('img', { name: 'Signature of Carla Tan' });
    expect(signature).toHaveAttribute('src', expect.stringMatching(/^blob:/));
    expect(asked('/objects/s1.jpg')[0]?.variables).toEqual({ signature: '1' });
    expect(await sheet.findByText("This photo can't be shown")).toBeInTheDocument();
    expect(sheet.getByText('dr.pdf')).toBeInTheDocument();
    unmount();
    expect(URL.revokeObjectURL).toHaveBeenCalledWith(signature.getAttribute('src'));
  });

  it('goes without what is switched off, in the words of the server, and so does the PDF', async () => {
    incomplete = deliveryForm(2, {
      description: formDescription({
        marks: ['Incomplete copy'],
        notices: [notice('Incomplete copy.', 'Left out here: photos.', true)],
      }),
    });
    const { user } = show();
    const sheet = await paper();
    expect(sheet).not.toHaveTextContent('Incomplete copy');
    await user.click(screen.getByRole('switch', { name: 'Photos' }));
    expect(await within(sheet).findByText('Left out here: photos.')).toBeInTheDocument();
    expect(asked('IncompleteForm').at(-1)?.variables).toEqual({
      deliveryId: 'DR-1184102',
      formVersion: 2,
      without: ['photos'],
    });
    await user.click(screen.getByRole('button', { name: 'Download PDF' }));
    await waitFor(() =>
      expect(asked('/delivery-forms/DR-1184102.pdf')[0]?.variables).toEqual({
        formVersion: '2',
        paper: 'a4',
        without: 'photos',
      }),
    );
    await user.click(screen.getByRole('switch', { name: 'Photos' }));
    expect(sheet).not.toHaveTextContent('Incomplete copy');
  });
});

describe('a form', () => {
  it('is one of several versions, and the older ones stay readable', async () => {
    const { user, address } = show();
    await paper();
    const versions = within(screen.getByRole('list', { name: 'Attempt 1' }));
    expect(versions.getByRole('link', { name: /Version 2/ })).toHaveAttribute(
      'aria-current',
      'true',
    );
    await user.click(versions.getByRole('link', { name: /Version 1.*Superseded/ }));
    expect(await paper(1)).toHaveTextContent('Replaced');
    expect(address()).toBe('/forms/DR-1184102?formVersion=1');
    expect(asked('ViewForm').at(-1)?.variables).toEqual({
      deliveryId: 'DR-1184102',
      formVersion: 1,
    });
  });

  it('is printed when its pictures are there', async () => {
    let arrive: (response: Response) => void = () => undefined;
    const print = vi.spyOn(window, 'print').mockImplementation(() => undefined);
    pictures['/objects/p1.jpg'] = (() =>
      new Promise<Response>((resolve) => {
        arrive = resolve;
      })) as unknown as () => Response;
    forms[2] = deliveryForm(2, {
      description: formDescription({ photos: formPhotos(formPicture('p1')) }),
    });
    const { user } = show();
    const sheet = within(await paper());
    await waitFor(() => expect(asked('/objects/p1.jpg')).toHaveLength(1));
    expect(screen.getByRole('button', { name: 'Print' })).toHaveAttribute('aria-keyshortcuts', 'p');
    await user.keyboard('p');
    expect(print).not.toHaveBeenCalled();
    arrive(new Response('jpg'));
    await sheet.findByRole('img', { name: '1. p1' });
    await waitFor(() => expect(print).toHaveBeenCalledTimes(1));
  });

  it('is never printed without its pictures, however long they take', async () => {
    let arrive: (response: Response) => void = () => undefined;
    const print = vi.spyOn(window, 'print').mockImplementation(() => undefined);
    pictures['/objects/p1.jpg'] = (() =>
      new Promise<Response>((resolve) => {
        arrive = resolve;
      })) as unknown as () => Response;
    forms[2] = deliveryForm(2, {
      description: formDescription({ photos: formPhotos(formPicture('p1')) }),
    });
    const { user } = show();
    const sheet = within(await paper());
    await waitFor(() => expect(asked('/objects/p1.jpg')).toHaveLength(1));
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
    const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
    await user.keyboard('p');
    await pass(6000);
    expect(print).not.toHaveBeenCalled();
    expect(screen.getByText(/^The form will print as soon as/)).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByText(/^The form will print as soon as/)).not.toBeInTheDocument();
    await user.keyboard('p');
    await pass(6000);
    arrive(new Response('jpg'));
    await sheet.findByRole('img', { name: '1. p1' });
    await pass(1000);
    expect(print).toHaveBeenCalledTimes(1);
    expect(screen.queryByText(/^The form will print as soon as/)).not.toBeInTheDocument();
  });

  it('is not printed with what was turned off, when that could not be left out', async () => {
    const print = vi.spyOn(window, 'print').mockImplementation(() => undefined);
    let answer: (answer: Answer) => void = () => undefined;
    answerIncomplete = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const { user } = show();
    const sheet = await paper();
    await user.click(screen.getByRole('switch', { name: 'Notes' }));
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
    await user.keyboard('p');
    // The moment at which nothing loads anymore is one at which the print may take its next step.
    const loaded = new MutationObserver(() => {
      if (!sheet.querySelector('[data-loading]')) vi.advanceTimersByTime(100);
    });
    loaded.observe(sheet, { attributes: true, childList: true, subtree: true });
    answer({ errors: [{ message: 'down' }] });
    expect(await screen.findByText(/^Couldn't leave out/)).toBeInTheDocument();
    loaded.disconnect();
    await act(() => vi.advanceTimersByTimeAsync(1000));
    expect(print).not.toHaveBeenCalled();
  });

  it('is not printed after that either, until it is left out or turned on again', async () => {
    const print = vi.spyOn(window, 'print').mockImplementation(() => undefined);
    answerIncomplete = () => ({ errors: [{ message: 'down' }] });
    const { user } = show();
    const sheet = await paper();
    await within(sheet).findByRole('img', { name: 'QR code that opens this form' });
    await user.click(screen.getByRole('switch', { name: 'Notes' }));
    const note = (await screen.findByText(/^Couldn't leave out/)).closest('[role=alert]');
    await expectAccessible();
    await user.keyboard('p');
    expect(note).toHaveFocus();
    expect(print).not.toHaveBeenCalled();
    incomplete = deliveryForm(2, { description: formDescription({ marks: ['Incomplete copy'] }) });
    answerIncomplete = () => ({ data: { deliveryForm: incomplete } });
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(sheet).toHaveTextContent('Incomplete copy'));
    expect(note).not.toBeInTheDocument();
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
    await user.keyboard('p');
    await waitFor(() => expect(print).toHaveBeenCalledTimes(1));
    answerIncomplete = () => ({ errors: [{ message: 'down' }] });
    await user.click(screen.getByRole('switch', { name: 'Photos' }));
    await user.click(await screen.findByRole('button', { name: 'Include all' }));
    expect(screen.queryByText(/^Couldn't leave out/)).not.toBeInTheDocument();
    expect(sheet).not.toHaveTextContent('Incomplete copy');
    await user.keyboard('p');
    await waitFor(() => expect(print).toHaveBeenCalledTimes(2));
  });

  it('waits for pictures that cannot be fetched just then, also for its print', async () => {
    const print = vi.spyOn(window, 'print').mockImplementation(() => undefined);
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
    const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
    isPresignDown = true;
    let stored = () => new Response('', { status: 503 });
    pictures['/objects/p1.jpg'] = () => stored();
    forms[2] = deliveryForm(2, { description: formDescription({ photos: formPhotos(formPicture('p1')) }) });
    const { user } = show();
    const sheet = within(await paper());
    await sheet.findByText("Can't be loaded right now");
    await sheet.findByRole('img', { name: 'QR code that opens this form' });
    await user.keyboard('p');
    isPresignDown = false;
    // Now the link is there, but the storage behind it is not.
    await pass(3000);
    expect(asked('/objects/p1.jpg')).toHaveLength(1);
    await pass(5000);
    expect(asked('/objects/p1.jpg')).toHaveLength(2);
    expect(print).not.toHaveBeenCalled();
    stored = () => new Response('jpg');
    await user.click(sheet.getByRole('button', { name: 'Retry' }));
    await sheet.findByRole('img', { name: '1. p1' });
    await pass(1000);
    expect(print).toHaveBeenCalledTimes(1);
  });

  it('is saved as PDF, on the paper that was chosen', async () => {
    const { user } = show('/forms/DR-1184102?formVersion=1');
    await paper(1);
    await user.click(screen.getByRole('radio', { name: 'Letter' }));
    await user.click(screen.getByRole('button', { name: 'Download PDF' }));
    await waitFor(() =>
      expect(downloadBlob).toHaveBeenCalledWith('DR-1184102-v1.pdf', expect.any(Blob)),
    );
    expect(asked('/delivery-forms/DR-1184102.pdf')[0]?.variables).toEqual({
      formVersion: '1',
      paper: 'letter',
    });
    expect(await paper(1)).toHaveAttribute('data-paper', 'letter');
  });

  it('says why its PDF was not made', async () => {
    pdf = () => Response.json({ ok: false, error: 'Too many at once' }, { status: 429 });
    const { user } = show();
    await paper();
    await user.click(screen.getByRole('button', { name: 'Download PDF' }));
    expect(await screen.findByText('Too many at once')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Download PDF' })).toBeInTheDocument();
  });

  it('has a link to this version of it', async () => {
    const { user } = show();
    await paper();
    await user.click(screen.getByRole('button', { name: 'Copy link' }));
    expect(await navigator.clipboard.readText()).toBe(
      'http://localhost:3000/forms/DR-1184102?formVersion=2',
    );
  });
});

it('is read again when somebody changes it, also the copy that goes without something', async () => {
  FakeSocket.install();
  const { user } = show();
  const sheet = await paper();
  incomplete = deliveryForm(2, { description: formDescription({ marks: ['Incomplete copy'] }) });
  await user.click(screen.getByRole('switch', { name: 'Notes' }));
  await waitFor(() => expect(sheet).toHaveTextContent('Incomplete copy'));
  await waitFor(() => expect(FakeSocket.last().open('deliveryChanged')).toHaveLength(1));
  forms[2] = deliveryForm(2, { description: formDescription({ marks: ['Replaced'] }) });
  incomplete = deliveryForm(2, { description: formDescription({ marks: ['Replaced', 'Incomplete copy'] }) });
  act(() => FakeSocket.last().push({ deliveryChanged: { __typename: 'DeliveryChange', id: 'DR-1184102' } }));
  await waitFor(() => expect(sheet).toHaveTextContent('Replaced'));
  expect(sheet).toHaveTextContent('Incomplete copy');
});

describe('a code from paper', () => {
  it('matches the newest version', async () => {
    show('/forms/DR-1184102?formVersion=2&code=7kq2-m4xd');
    expect(await screen.findByText('The code matches version 2')).toBeInTheDocument();
    expect(screen.getByText(/This is the newest version/)).toBeInTheDocument();
    await expectAccessible();
  });

  it('matches a version that another one superseded', async () => {
    const { user, address } = show('/forms/DR-1184102?formVersion=1&code=AAAA-BBBB');
    await screen.findByText('The code matches version 1, which has been replaced');
    await user.click(screen.getByRole('link', { name: 'Show version 2' }));
    await paper(2);
    expect(address()).toBe('/forms/DR-1184102?formVersion=2');
    expect(screen.queryByText(/The code/)).not.toBeInTheDocument();
  });

  it('does not match', async () => {
    show('/forms/DR-1184102?formVersion=2&code=AAAA-BBBB');
    const title = await screen.findByText("The code doesn't match version 2");
    expect(title.closest('[role=alert]')).toHaveTextContent(/may not be the one that was issued/);
  });

  it('is of a version that was never issued', async () => {
    show('/forms/DR-1184102?formVersion=7&code=AAAA-BBBB');
    const title = await screen.findByText("The code doesn't match any form");
    expect(title.closest('[role=alert]')).toHaveTextContent(/No form with this code was issued here/);
    expect(screen.getByRole('heading', { name: 'There is no version 7' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Show the newest version' })).toHaveAttribute(
      'href',
      '/forms/DR-1184102',
    );
  });

  it('says nothing when none was given', async () => {
    show();
    await paper();
    expect(screen.queryByText(/The code/)).not.toBeInTheDocument();
  });
});

it('says why there is no form yet, and leads to the delivery', async () => {
  delivery = { ...delivery, deliverystatus: 'Pending', formVersion: 0, forms: [] };
  forms = {};
  show();
  await screen.findByRole('heading', { name: 'No form yet' });
  expect(screen.getByText(/DR-1184102 is still pending/)).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'View the delivery' })).toHaveAttribute(
    'href',
    '/view-delivery/DR-1184102',
  );
  await expectAccessible();
});

it('says that there is no such delivery', async () => {
  delivery = null;
  show('/forms/A%2FB%20100%25');
  await screen.findByRole('heading', { name: 'Delivery not found' });
  expect(screen.getByText(/^There's no delivery A\/B 100%/)).toBeInTheDocument();
  expect(asked('ViewForm')[0]?.variables).toEqual({ deliveryId: 'A/B 100%', formVersion: null });
});
