import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '@/test/axe';
import { attachment, completedDelivery, fullDelivery } from '@/test/delivery';
import { enter } from '@/test/enter';
import { FakeRequest } from '@/test/fake-request';
import {
  box,
  inputs,
  open,
  photo,
  picker,
  save,
  sent,
  setStage,
  stage,
} from '@/test/outcome-form';
// Loaded up front, so that no test waits for a lazy import.
import './edit/edit-delivery-page';
import './view-delivery-page';

// Simulated typing is slow on busy machines.
vi.setConfig({ testTimeout: 60_000 });

beforeEach(setStage);

describe('required proof', () => {
  beforeEach(() => {
    stage.delivery = fullDelivery({
      podRequirement: ['signature', 'photo', 'recipientName', 'scan', 'location', 'note'],
    });
  });
  const required = () =>
    within(screen.getByRole('list', { name: 'Required proof' }))
      .getAllByRole('listitem')
      .map((item) => item.textContent);

  it('is named with what is still missing, and each missing one at its field', async () => {
    const { user } = await open('delivered');
    expect(required()).toEqual([
      'Signaturemissing',
      'Photomissing',
      'Recipient namemissing',
      'Scanmissing',
      'Locationmissing',
      'Notemissing',
    ]);
    await user.click(save());
    expect(await screen.findByText('7 errors')).toBeInTheDocument();
    expect(box('Received by')).toHaveAccessibleDescription(/^Received by is required/);
    for (const text of ['Signature', 'Photo', 'Latitude', 'Longitude', 'Note']) {
      expect(screen.getByText(`${text} is required`, { selector: 'p' })).toBeInTheDocument();
    }
    await user.type(box('Received by'), 'Carla');
    expect(required()[2]).toBe('Recipient nameprovided');
    await expectAccessible();
    expect(sent('RecordOutcome')).toEqual([]);
  });

  it('is there when the driver sent it before', async () => {
    stage.delivery = fullDelivery({
      podRequirement: ['signature', 'photo'],
      attachments: [attachment('s', { kind: 'signature' }), attachment('p')],
    });
    const { user } = await open('delivered');
    expect(required()).toEqual(['Signatureprovided', 'Photoprovided']);
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
  });
});

it('says that there is no signature only while there is none', async () => {
  const { user } = await open('delivered');
  expect(screen.getByText('No signature yet.')).toBeInTheDocument();
  await user.upload(picker('Upload a picture'), photo);
  expect(await screen.findByText('goods.jpg')).toBeInTheDocument();
  expect(screen.queryByText('No signature yet.')).not.toBeInTheDocument();
});

it('a correction of lines needs the photo that the reason of a line requires', async () => {
  stage.delivery = completedDelivery();
  const { user } = await open('correct');
  // The reason of item 20 requires a photo, too, but that item is not corrected yet.
  await enter(user, box('Delivered of item 10'), '39');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Reason of item 10' }), 'Short shipped');
  expect(screen.queryByLabelText('Add photos', { selector: 'input' })).not.toBeInTheDocument();
  await enter(user, box('Delivered of item 20'), '21');
  await enter(user, box('Reason for the correction'), 'Recounted');
  await user.click(save());
  expect(await screen.findByText('Photo is required', { selector: 'p' })).toBeInTheDocument();
  expect(sent('CorrectDelivery')).toEqual([]);
  // Another reason needs none.
  await user.selectOptions(screen.getByRole('combobox', { name: 'Reason of item 20' }), 'Short shipped');
  expect(screen.queryByLabelText('Add photos', { selector: 'input' })).not.toBeInTheDocument();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Reason of item 20' }), 'Damaged in transit');
  await user.upload(picker('Add photos'), photo);
  await user.click(save());
  const put = await waitFor(() => FakeRequest.last());
  act(() => put.answer(200));
  await waitFor(() => expect(sent('CorrectDelivery')).toHaveLength(1));
  expect(inputs('AddAttachment')).toEqual([{ deliveryId: 'DR-1', url: '/objects/up/goods.jpg', kind: 'photo' }]);
});

describe('files', () => {
  it('are kept before the outcome is told, with progress', async () => {
    const { user } = await open('delivered');
    expect(picker('Add photos')).toHaveAttribute('accept', expect.stringContaining('image/jpeg'));
    await user.upload(picker('Add photos'), photo);
    await user.click(save());
    const put = await waitFor(() => FakeRequest.last());
    expect([put.method, put.url, put.body]).toEqual(['PUT', '/objects/up/goods.jpg?sig=1', photo]);
    expect(inputs('RequestAttachmentLink')).toEqual([{ deliveryId: 'DR-1', filename: 'goods.jpg' }]);
    act(() => put.progress(1, 4));
    expect(screen.getByRole('progressbar', { name: 'Uploading goods.jpg' })).toHaveAttribute(
      'aria-valuenow',
      '25',
    );
    expect(sent('RecordOutcome')).toEqual([]);
    act(() => put.answer(200));
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
    expect(inputs('AddAttachment')).toEqual([
      { deliveryId: 'DR-1', url: '/objects/up/goods.jpg', kind: 'photo' },
    ]);
  });

  it('that cannot be sent keep the outcome back; another try sends only those', async () => {
    const { user } = await open('delivered');
    await user.upload(picker('Add photos'), [photo, new File(['b'], 'second.png')]);
    await user.click(save());
    const first = await waitFor(() => FakeRequest.last());
    act(() => first.answer(200));
    await waitFor(() => expect(FakeRequest.all).toHaveLength(2));
    act(() => FakeRequest.last().answer(403));
    expect(await screen.findByText('Upload failed. Something went wrong')).toBeInTheDocument();
    expect(screen.getByText("Some files couldn't be saved")).toBeInTheDocument();
    expect(sent('RecordOutcome')).toEqual([]);
    await expectAccessible();
    await user.click(save());
    await waitFor(() => expect(FakeRequest.all).toHaveLength(3));
    act(() => FakeRequest.last().answer(200));
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
    expect(inputs('AddAttachment').map((input) => (input as { url: string }).url)).toEqual([
      '/objects/up/goods.jpg',
      '/objects/up/second.png',
    ]);
  });

  it('have one text for a link that could not be had', async () => {
    stage.answers.RequestAttachmentLink = () => ({ errors: [{ message: 'down' }] });
    const { user } = await open('delivered');
    await user.upload(picker('Add photos'), photo);
    await user.click(save());
    expect(await screen.findByText('upload url request failed')).toBeInTheDocument();
  });

  it('say when to try again after too many uploads', async () => {
    const message =
      'You have 50 unfinished uploads. Finish those, or try again in 40 minutes.';
    const extensions = { code: 'RATE_LIMITED', reason: 'TOO_MANY_UPLOADS' };
    stage.answers.RequestAttachmentLink = () => ({ errors: [{ message, extensions }] });
    const { user } = await open('delivered');
    await user.upload(picker('Add photos'), photo);
    await user.click(save());
    expect(await screen.findByText(message)).toBeInTheDocument();
  });

  it.each([
    ['notes.txt', 'x', "notes.txt isn't a supported file type."],
    ['scan.pdf', 'x', "scan.pdf isn't a supported file type."],
    ['empty.jpg', '', 'empty.jpg is empty.'],
  ])('are refused before anything is sent: %s', async (name, content, text) => {
    await open('delivered');
    // The `accept` filter of a file picker does not apply to a dropped file.
    const user = userEvent.setup({ applyAccept: false });
    await user.upload(picker('Add photos'), new File([content], name));
    expect(await screen.findByText('Invalid file')).toBeInTheDocument();
    expect(screen.getByText(text)).toBeInTheDocument();
    expect(screen.queryByRole('list', { name: 'Chosen files' })).not.toBeInTheDocument();
  });

  it('that are larger than 10 MB are refused', async () => {
    const { user } = await open('delivered');
    const large = new File(['x'], 'large.jpg');
    Object.defineProperty(large, 'size', { value: 10 * 1024 * 1024 + 1 });
    await user.upload(picker('Add photos'), large);
    expect(await screen.findByText('large.jpg is larger than 10 MB.')).toBeInTheDocument();
  });

  it('can be taken out before they are sent', async () => {
    const { user } = await open('delivered');
    await user.upload(picker('Add photos'), photo);
    await user.click(screen.getByRole('button', { name: 'Remove goods.jpg' }));
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
    expect(FakeRequest.all).toEqual([]);
  });

  it('may be a signature that was drawn', async () => {
    const ink = {
      fillRect: vi.fn<() => void>(),
      beginPath: vi.fn<() => void>(),
      moveTo: vi.fn<() => void>(),
      lineTo: vi.fn<() => void>(),
      stroke: vi.fn<() => void>(),
    };
    vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(ink as never);
    vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation((callback) =>
      callback(new Blob(['png'], { type: 'image/png' })),
    );
    const { user } = await open('delivered');
    await user.click(screen.getByRole('button', { name: 'Draw' }));
    await screen.findByRole('img', { name: 'Signature' });
    expect(screen.getByRole('button', { name: 'Use signature' })).toBeDisabled();
    const signature = within(screen.getByRole('group', { name: /^Signature/ }));
    expect(signature.getByRole('button', { name: 'Cancel' })).toHaveFocus();
    await user.keyboard('{Enter}');
    expect(signature.getByRole('button', { name: 'Draw' })).toHaveFocus();
    await user.keyboard('{Enter}');
    const pad = screen.getByRole('img', { name: 'Signature' });
    await user.pointer([
      { keys: '[MouseLeft>]', target: pad },
      { keys: '[TouchA]', target: pad },
      { target: pad, coords: { x: 20, y: 20 } },
      { keys: '[/MouseLeft]', target: pad },
    ]);
    // The touch of the palm drew nothing, and did not end the stroke.
    expect(ink.stroke).toHaveBeenCalledTimes(2);
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'Use signature' }));
    expect(await screen.findByText('signature.png')).toBeInTheDocument();
    expect(signature.getByRole('button', { name: 'Draw again' })).toHaveFocus();
    await user.click(save());
    const put = await waitFor(() => FakeRequest.last());
    act(() => put.answer(200));
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
    expect(inputs('AddAttachment')).toEqual([
      { deliveryId: 'DR-1', url: '/objects/up/signature.png', kind: 'signature' },
    ]);
  });
});
