import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { attachment, deliveryForm, formContent, formVersion } from '@/test/forms';
import { renderRoutes } from '@/test/render';
import { LOGO_PATH, logoInformation, logoValue } from '@/test/settings';
// Fetched ahead, so that no test waits for it on a busy machine.
import './components/qr-code';
import './pages/view-form-page';

vi.mock('@/lib/download-blob', () => ({ downloadBlob: vi.fn<() => void>() }));
const { downloadBlob } = await import('@/lib/download-blob');

let server: FakeServer;
let delivery: Record<string, unknown> | null;
let forms: Record<number, object>;
let logo: string | null;
let pdf: () => Response;
let pictures: Record<string, () => Response>;

beforeEach(() => {
  delivery = {
    __typename: 'Delivery',
    id: 'DR-1184102',
    deliverystatus: 'Complete_With_Variance',
    formVersion: 2,
    forms: [formVersion(2), formVersion(1, { supersededBy: 2 })],
  };
  forms = {
    1: deliveryForm(1, { supersededBy: 2, verificationCode: 'AAAA-BBBB' }),
    2: deliveryForm(2),
  };
  logo = null;
  pdf = () => new Response('%PDF');
  pictures = {};
  let count = 0;
  vi.spyOn(URL, 'createObjectURL').mockImplementation(() => `blob:${(count += 1)}`);
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => undefined);
});

function show(address = '/forms/DR-1184102') {
  server = startFakeServer({
    user: { ...rosa, roles: ['viewer'] },
    operations: {
      GetLogoInformation: () => logoInformation(logo),
      ViewForm: ({ formVersion: asked }) => ({
        data: {
          delivery,
          deliveryForm: delivery ? (forms[Number(asked ?? delivery.formVersion)] ?? null) : null,
        },
      }),
      PresignAttachment: ({ url }) => ({
        data: {
          mutatePresignedUrl: {
            __typename: 'PresignedUrl',
            presignedUrl: `${String(url)}?signature=1`,
          },
        },
      }),
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
    expect(sheet).toHaveTextContent('Habagat Logistics');
    expect(sheet).toHaveTextContent('Dispatch Date and TimeNov 20, 2026 9:30 AM');
    expect(sheet).toHaveTextContent('Dispatch DateNov 20, 2026');
    expect(sheet).toHaveTextContent('Dispatch Time9:30 AM');
    expect(sheet).toHaveTextContent('Bayan Mart Makati6780 Ayala Avenue, Makati City');
    expect(sheet).toHaveTextContent('Processed atNov 20, 2026 11:08 AM');
    expect(sheet).toHaveTextContent('Distance from address38 m');
    expect(sheet).toHaveTextContent('Carla TanColleague');
    expect(sheet).toHaveTextContent('Verification code 7KQ2-M4XD');
    expect(sheet).not.toHaveTextContent('Late');
    expect(sheet).toHaveAttribute('data-theme', 'light');
    await within(sheet).findByRole('img', { name: 'QR code that opens this form' });
    await expectAccessible();
  });

  it('bears the logo, and the name when the picture cannot be had', async () => {
    logo = logoValue();
    show();
    const sheet = within(await paper());
    const picture = await sheet.findByRole('img', { name: 'Habagat Logistics' });
    expect(picture).toHaveAttribute('src', LOGO_PATH);
    fireEvent.error(picture);
    expect(sheet.getByText('Habagat Logistics')).toBeVisible();
    expect(sheet.queryByRole('img', { name: 'Habagat Logistics' })).not.toBeInTheDocument();
  });

  it('marks the line that differs, with its reason', async () => {
    show();
    const sheet = within(await paper());
    expect(sheet.getByRole('row', { name: /Goods 10/ })).toHaveTextContent('box40400None');
    const short = sheet.getByRole('row', { name: /Goods 20/ });
    expect(short).toHaveTextContent('box2422−2Damaged in transitLeaked');
    expect(within(short).getByText('−2')).toHaveClass('font-semibold');
    expect(sheet.getByRole('row', { name: /Total, 2 lines/ })).toHaveTextContent('6462−2');
  });

  it('marks what came late, from far away, afterwards or as a correction', async () => {
    forms[2] = deliveryForm(2, {
      content: formContent({
        correctionReason: 'Counted again',
        attachments: [
          attachment('p1', { addedAfterCompletion: true }),
          attachment('p2', { receivedAt: '2026-11-20T09:00:00Z' }),
        ],
        delivery: { late: true, outcomeDistanceM: 2400 },
      }),
    });
    show();
    const sheet = await paper();
    expect(sheet).toHaveTextContent('Corrected. Counted again');
    expect(within(sheet).getByText('Corrected')).toBeInTheDocument();
    expect(sheet).toHaveTextContent('11:08 AMLate');
    expect(sheet).toHaveTextContent('2.4 kmFar away');
    expect(sheet).toHaveTextContent('1. Photo, 11:01 AMAdded later');
    expect(sheet).toHaveTextContent('2. Photo, 11:01 AMLate');
  });

  it('shows pictures that were fetched by a signed link', async () => {
    pictures['/objects/s1.png'] = () => new Response('ink');
    pictures['/objects/p1.jpg'] = () => new Response('', { status: 403 });
    forms[2] = deliveryForm(2, {
      content: formContent({
        attachments: [
          attachment('s1', {
            kind: 'signature',
            url: '/objects/s1.png',
            contentType: 'image/png',
            capturedAt: '2026-11-20T03:07:00Z',
          }),
          attachment('p1'),
          attachment('d1', { kind: 'document', contentType: 'application/pdf', filename: 'dr.pdf' }),
        ],
      }),
    });
    const { unmount } = show();
    const sheet = within(await paper());
    const signature = await sheet.findByRole('img', { name: 'Signature of Carla Tan' });
    expect(signature).toHaveAttribute('src', expect.stringMatching(/^blob:/));
    expect(asked('/objects/s1.png')[0]?.variables).toEqual({ signature: '1' });
    expect(sheet.getByText(/signed Nov 20, 2026 11:07 AM/)).toBeInTheDocument();
    expect(await sheet.findByText('Cannot be shown')).toBeInTheDocument();
    expect(sheet.getByText('dr.pdf')).toBeInTheDocument();
    unmount();
    expect(URL.revokeObjectURL).toHaveBeenCalledWith(signature.getAttribute('src'));
  });

  it('goes without what is switched off', async () => {
    forms[2] = deliveryForm(2, {
      content: formContent({
        attachments: [attachment('p1')],
        delivery: { outcomeNote: 'Left at the gate' },
      }),
    });
    const { user } = show();
    const sheet = await paper();
    expect(sheet).toHaveTextContent('Left at the gate');
    for (const name of ['Photos', 'Places with distance', 'Notes']) {
      await user.click(screen.getByRole('switch', { name }));
    }
    expect(sheet).not.toHaveTextContent('Left at the gate');
    expect(sheet).not.toHaveTextContent('Leaked');
    expect(sheet).not.toHaveTextContent('38 m');
    expect(sheet).not.toHaveTextContent('1. Photo');
    // Why a line differs is no note.
    expect(sheet).toHaveTextContent('Damaged in transit');
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
    expect(await paper(1)).toHaveTextContent('Superseded by version 2');
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
      content: formContent({ attachments: [attachment('p1')] }),
    });
    const { user } = show();
    const sheet = within(await paper());
    await waitFor(() => expect(asked('/objects/p1.jpg')).toHaveLength(1));
    await user.click(screen.getByRole('button', { name: 'Print' }));
    expect(print).not.toHaveBeenCalled();
    arrive(new Response('jpg'));
    await sheet.findByRole('img', { name: 'Photo' });
    await waitFor(() => expect(print).toHaveBeenCalledTimes(1));
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

describe('a code from paper', () => {
  it('matches the newest version', async () => {
    show('/forms/DR-1184102?formVersion=2&code=7kq2-m4xd');
    expect(await screen.findByText('The code matches version 2')).toBeInTheDocument();
    expect(screen.getByText(/It is the newest version/)).toBeInTheDocument();
    await expectAccessible();
  });

  it('matches a version that another one superseded', async () => {
    const { user, address } = show('/forms/DR-1184102?formVersion=1&code=AAAA-BBBB');
    await screen.findByText('The code matches version 1, which counts no more');
    await user.click(screen.getByRole('link', { name: 'Show version 2' }));
    await paper(2);
    expect(address()).toBe('/forms/DR-1184102?formVersion=2');
    expect(screen.queryByText(/The code/)).not.toBeInTheDocument();
  });

  it('does not match', async () => {
    show('/forms/DR-1184102?formVersion=2&code=AAAA-BBBB');
    const title = await screen.findByText('The code does not match version 2');
    expect(title.closest('[role=alert]')).toHaveTextContent(/may not be what was issued/);
  });

  it('is of a version that was never issued', async () => {
    show('/forms/DR-1184102?formVersion=7&code=AAAA-BBBB');
    const title = await screen.findByText('The code does not match any form');
    expect(title.closest('[role=alert]')).toHaveTextContent(/No such form was issued here/);
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
  await screen.findByRole('heading', { name: 'No such delivery' });
  expect(screen.getByText(/A\/B 100% is not known here/)).toBeInTheDocument();
  expect(asked('ViewForm')[0]?.variables).toEqual({ deliveryId: 'A/B 100%', formVersion: null });
});
