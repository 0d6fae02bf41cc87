import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import {
  attachment,
  completedDelivery,
  deliveryChanged,
  fullDelivery,
  reasonsAnswer,
  refusedFields,
} from '@/test/delivery';
import { enter } from '@/test/enter';
import { foundDrivers } from '@/test/drivers';
import { FakeRequest } from '@/test/fake-request';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { setTimeZone } from '@/test/time-zone';
// Loaded up front, so that no test waits for a lazy import.
import './outcomes/action-dialog';
import './view-delivery-page';

// Simulated typing is slow on busy machines.
vi.setConfig({ testTimeout: 60_000 });

let server: FakeServer;
let delivery: Record<string, unknown>;
let answers: Record<string, () => Answer>;

const saved = (name: string): Answer => ({
  data: { [name]: { __typename: 'Delivery', id: 'DR-1', version: 4, deliverystatus: 'Pending' } },
});
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;

beforeEach(() => {
  FakeRequest.all = [];
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }));
  delivery = fullDelivery({
    deliverystatus: 'Undelivered',
    allowedActions: ['reschedule', 'refuse_after_attempt', 'assign_driver', 'add_evidence', 'print'],
  });
  answers = {
    ViewDelivery: () => ({ data: { delivery } }),
    Reasons: () => reasonsAnswer,
    RescheduleDelivery: () => saved('rescheduleDelivery'),
    RecordOutcome: () => saved('recordOutcome'),
    CorrectDelivery: () => saved('correctDelivery'),
    DriversLookup: () => foundDrivers(['DRV-014', 'Rico Santos']),
    AssignDriver: () => ({
      data: {
        assignDriver: [{ __typename: 'BulkResult', deliveryId: 'DR-1', ok: true, text: null }],
      },
    }),
    RequestAttachmentLink: () => ({
      data: { requestAttachmentLink: { __typename: 'AttachmentLink', url: '/objects/up/k1?sig=1' } },
    }),
    AddAttachment: () => ({ data: { addAttachment: { __typename: 'Attachment', id: 'a1' } } }),
  };
});

async function ask(action: string) {
  server = startFakeServer({
    user: rosa,
    operations: Object.fromEntries(
      Object.keys(answers).map((name) => [
        name,
        () => answers[name]?.() ?? { errors: [{ message: 'none' }] },
      ]),
    ),
  });
  const view = renderRoutes(declarations, '/view-delivery/DR-1');
  await screen.findByRole('heading', { level: 2, name: 'DR-1' });
  const button = screen.queryByRole('button', { name: action });
  if (button) await view.user.click(button);
  else {
    await view.user.click(screen.getByRole('button', { name: 'More actions' }));
    await view.user.click(await screen.findByRole('menuitem', { name: action }));
  }
  return { ...view, dialog: within(await screen.findByRole('dialog')) };
}

const sent = (name: string) => server.calls.filter((call) => call.name === name);
const input = (name: string, call = 0) => sent(name)[call]?.variables.input;

describe('rescheduling', () => {
  it('is for the next working day at the same time, unless another is chosen', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-20T07:04:00Z'), toFake: ['Date'] });
    const { user, auth, dialog } = await ask('Reschedule');
    expect(dialog.getByText('Attempt 2 of 3. The previous attempt is kept.')).toBeInTheDocument();
    setTimeZone(auth, 'UTC');
    expect(dialog.getByLabelText('Time')).toHaveValue('01:30');
    await expectAccessible(screen.getByRole('dialog'));
    await enter(user, dialog.getByRole('textbox', { name: /^Note/ }), 'Ask for Carla');
    await user.click(dialog.getByRole('button', { name: 'Reschedule' }));
    expect(await screen.findByText('DR-1 rescheduled')).toBeInTheDocument();
    expect(input('RescheduleDelivery')).toEqual({
      deliveryId: 'DR-1',
      version: 3,
      clientEventId: uuid,
      // Today is a Friday, so the next working day is Monday.
      scheduledatetime: '2026-11-23T01:30:00.000Z',
      note: 'Ask for Carla',
    });
  });

  it('says what the server refuses, at its field', async () => {
    answers.RescheduleDelivery = () =>
      refusedFields({ scheduledatetime: ['Dispatch date and time must be another one for another attempt'] });
    const { user, dialog } = await ask('Reschedule');
    await user.click(dialog.getByRole('button', { name: 'Reschedule' }));
    expect(
      await dialog.findByText(/must be another one for another attempt/, { selector: 'fieldset p' }),
    ).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  it('is not built on what somebody else has changed', async () => {
    answers.RescheduleDelivery = () => deliveryChanged;
    const { user, dialog } = await ask('Reschedule');
    await enter(user, dialog.getByRole('textbox', { name: /^Note/ }), 'Ask for Carla');
    delivery = { ...delivery, version: 6, updatedBy: 'dennis', driverId: 'DRV-9' };
    await user.click(dialog.getByRole('button', { name: 'Reschedule' }));
    expect(await dialog.findByText(/Changed elsewhere by dennis/)).toBeInTheDocument();
    expect(dialog.getByText('DRV-9')).toBeInTheDocument();
    answers.RescheduleDelivery = () => saved('rescheduleDelivery');
    await user.click(dialog.getByRole('button', { name: 'Reload and keep my entries' }));
    await user.click(dialog.getByRole('button', { name: 'Reschedule' }));
    await waitFor(() => expect(sent('RescheduleDelivery')).toHaveLength(2));
    expect(input('RescheduleDelivery', 1)).toMatchObject({ version: 6, note: 'Ask for Carla' });
    const ids = sent('RescheduleDelivery').map(({ variables }) => (variables.input as { clientEventId: string }).clientEventId);
    expect(ids[0]).toBe(ids[1]);
  });
});

describe('a refusal by phone', () => {
  it('needs a reason and who said so', async () => {
    const { user, dialog } = await ask('Record phone refusal');
    await user.click(dialog.getByRole('button', { name: 'Record as Rejected' }));
    expect(await dialog.findByText('Reason is required')).toBeInTheDocument();
    expect(dialog.getByText('Note is required')).toBeInTheDocument();
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Reason' }), 'Refused: late');
    await enter(user, dialog.getByRole('textbox', { name: 'Note' }), 'Carla, at noon');
    await expectAccessible(screen.getByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'Record as Rejected' }));
    expect(await screen.findByText('DR-1 is Rejected')).toBeInTheDocument();
    expect(input('RecordOutcome')).toEqual({
      deliveryId: 'DR-1',
      version: 3,
      clientEventId: uuid,
      status: 'Rejected',
      outcomeReason: 'refused_late',
      outcomeNote: 'Carla, at noon',
    });
  });

  it('waits for reasons that could not be read', async () => {
    let isDown = true;
    answers.Reasons = () => {
      if (isDown) throw new TypeError('lost');
      return reasonsAnswer;
    };
    const { user, dialog } = await ask('Record phone refusal');
    expect(await dialog.findByText("Couldn't load reasons.")).toBeInTheDocument();
    isDown = false;
    await user.click(dialog.getByRole('button', { name: 'Retry' }));
    expect(await dialog.findByRole('option', { name: 'Refused: late' })).toBeInTheDocument();
  });
});

describe('corrections', () => {
  it('reopen a rejected delivery for a reason', async () => {
    delivery = fullDelivery({ deliverystatus: 'Rejected', allowedActions: ['reopen'] });
    const { user, dialog } = await ask('Reopen');
    await user.click(dialog.getByRole('button', { name: 'Reopen' }));
    expect(await dialog.findByText('Reason for the correction is required')).toBeInTheDocument();
    await enter(user, dialog.getByRole('textbox', { name: 'Reason for the correction' }), 'They want it');
    await user.click(dialog.getByRole('button', { name: 'Reopen' }));
    expect(await screen.findByText('DR-1 is Pending again')).toBeInTheDocument();
    expect(input('CorrectDelivery')).toEqual({
      deliveryId: 'DR-1',
      version: 3,
      clientEventId: uuid,
      status: 'Pending',
      reason: 'They want it',
    });
  });

  it('take back a completed one, or say what it was instead', async () => {
    delivery = completedDelivery();
    const { user, dialog } = await ask('Correct status');
    await user.click(dialog.getByRole('radio', { name: 'Undelivered' }));
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Reason' }), 'Recipient absent');
    await user.click(dialog.getByRole('radio', { name: 'Rejected' }));
    // The reasons of the two statuses differ, so the choice is cleared.
    expect(dialog.getByRole('combobox', { name: 'Reason' })).toHaveValue('');
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Reason' }), 'Refused: late');
    await enter(user, dialog.getByRole('textbox', { name: 'Reason for the correction' }), 'Wrong button');
    await expectAccessible(screen.getByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'Correct status' }));
    expect(await screen.findByText('DR-1 corrected')).toBeInTheDocument();
    expect(input('CorrectDelivery')).toEqual({
      deliveryId: 'DR-1',
      version: 3,
      clientEventId: uuid,
      status: 'Rejected',
      outcomeReason: 'refused_late',
      outcomeNote: null,
      reason: 'Wrong button',
    });
  });
});

describe('the reason of a corrected outcome', () => {
  const photo = new File(['jpeg'], 'pallet.jpg', { type: 'image/jpeg' });

  it('asks for the note and the photo that it asks for when the outcome is recorded', async () => {
    delivery = completedDelivery();
    const { user, dialog } = await ask('Correct status');
    const submit = () => user.click(dialog.getByRole('button', { name: 'Correct status' }));
    await user.click(dialog.getByRole('radio', { name: 'Undelivered' }));
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Reason' }), 'Other');
    await enter(user, dialog.getByRole('textbox', { name: 'Reason for the correction' }), 'Wrong button');
    await submit();
    expect(await dialog.findByText('Note is required')).toBeInTheDocument();
    await user.click(dialog.getByRole('radio', { name: 'Rejected' }));
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Reason' }), 'Refused: all damaged');
    await submit();
    expect(await dialog.findByText('Photo is required')).toBeInTheDocument();
    expect(sent('CorrectDelivery')).toEqual([]);
    await user.upload(dialog.getByLabelText('Add photos', { selector: 'input' }), photo);
    await expectAccessible(screen.getByRole('dialog'));
    await submit();
    const put = await waitFor(() => FakeRequest.last());
    expect(sent('CorrectDelivery')).toEqual([]);
    act(() => put.answer(200));
    expect(await screen.findByText('DR-1 corrected')).toBeInTheDocument();
    expect(input('AddAttachment')).toMatchObject({ deliveryId: 'DR-1', kind: 'photo' });
    expect(input('CorrectDelivery')).toMatchObject({ status: 'Rejected', outcomeReason: 'refused_all_damaged' });
  });

  it('is content with a photo that the attempt has', async () => {
    delivery = completedDelivery({ attachments: [attachment('p')] });
    const { user, dialog } = await ask('Correct status');
    await user.click(dialog.getByRole('radio', { name: 'Rejected' }));
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Reason' }), 'Refused: all damaged');
    await enter(user, dialog.getByRole('textbox', { name: 'Reason for the correction' }), 'Wrong button');
    await user.click(dialog.getByRole('button', { name: 'Correct status' }));
    expect(await screen.findByText('DR-1 corrected')).toBeInTheDocument();
  });
});

describe('the driver', () => {
  it('is assigned, and taken away by an empty box', async () => {
    const { user, dialog } = await ask('Assign driver');
    expect(dialog.getByRole('button', { name: 'Assign' })).toBeDisabled();
    await user.type(dialog.getByRole('combobox', { name: /^Driver ID/ }), ' DRV-014 {Enter}');
    expect(await screen.findByText('DR-1 assigned to DRV-014')).toBeInTheDocument();
    expect(input('AssignDriver')).toEqual({ deliveryIds: ['DR-1'], driverId: 'DRV-014' });
  });

  it('is found by name among those who may work', async () => {
    const { user, dialog } = await ask('Assign driver');
    const box = dialog.getByRole('combobox', { name: /^Driver ID/ });
    await user.type(box, 'rico');
    await user.click(await dialog.findByRole('option', { name: 'Rico Santos (DRV-014)' }));
    expect(box).toHaveValue('DRV-014');
    await user.click(dialog.getByRole('button', { name: 'Assign' }));
    await waitFor(() =>
      expect(input('AssignDriver')).toEqual({ deliveryIds: ['DR-1'], driverId: 'DRV-014' }),
    );
  });

  it('is read anew where it is shown', async () => {
    const { user, dialog } = await ask('Assign driver');
    delivery = { ...delivery, driverId: 'DRV-014', version: 4 };
    await user.type(dialog.getByRole('combobox', { name: /^Driver ID/ }), 'DRV-014{Enter}');
    const fact = screen.getByText('Driver ID', { selector: 'dt' }).nextElementSibling;
    await waitFor(() => expect(fact).toHaveTextContent('DRV-014'));
  });

  it('may be refused', async () => {
    answers.AssignDriver = () => ({
      data: {
        assignDriver: [
          { __typename: 'BulkResult', deliveryId: 'DR-1', ok: false, text: 'Driver is blocked' },
        ],
      },
    });
    const { user, dialog } = await ask('Assign driver');
    const box = dialog.getByRole('combobox', { name: /^Driver ID/ });
    await user.type(box, 'DRV-014{Enter}');
    await waitFor(() => expect(box).toHaveAccessibleDescription(/^Driver is blocked/));
  });
});

describe('attachments', () => {
  it('is sent with what it is about, and marked as added later', async () => {
    const { user, dialog } = await ask('Add files');
    expect(dialog.getByText(/marked as added later/)).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'Save files' })).toBeDisabled();
    await user.click(dialog.getByRole('radio', { name: 'Document' }));
    const file = new File(['pdf'], 'receipt.pdf', { type: 'application/pdf' });
    const other = new File(['pdf'], 'other.pdf', { type: 'application/pdf' });
    await user.upload(dialog.getByLabelText('Add files', { selector: 'input' }), [file, other]);
    await user.selectOptions(dialog.getByRole('combobox', { name: /^Item/ }), '20 · Goods 20');
    await enter(user, dialog.getByRole('textbox', { name: /^Note/ }), 'Stamped');
    await expectAccessible(screen.getByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'Save files' }));
    const put = await waitFor(() => FakeRequest.last());
    // Fields are locked, but files still show their progress, and those that wait can be removed.
    expect(dialog.getByRole('textbox', { name: /^Note/ }).closest('[inert]')).not.toBeNull();
    expect(dialog.getByRole('progressbar').closest('[inert]')).toBeNull();
    await user.click(dialog.getByRole('button', { name: 'Remove other.pdf' }));
    act(() => put.answer(200));
    expect(await screen.findByText('1 file added')).toBeInTheDocument();
    expect(input('AddAttachment')).toEqual({
      deliveryId: 'DR-1',
      url: '/objects/up/k1',
      kind: 'document',
      itemNumber: '20',
      note: 'Stamped',
    });
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  it('take the type that is chosen after them, if they can be of it', async () => {
    const { user, dialog } = await ask('Add files');
    const list = () =>
      within(dialog.getByRole('list', { name: 'Chosen files' }))
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent);
    await user.upload(dialog.getByLabelText('Add photos', { selector: 'input' }), new File(['x'], 'a.jpg'));
    await user.click(dialog.getByRole('radio', { name: 'Document' }));
    const pdf = new File(['pdf'], 'receipt.pdf', { type: 'application/pdf' });
    await user.upload(dialog.getByLabelText('Add files', { selector: 'input' }), pdf);
    expect(list()).toEqual([expect.stringMatching(/^a\.jpgDocument/), expect.stringMatching(/^receipt\.pdfDocument/)]);
    await user.click(dialog.getByRole('radio', { name: 'Photo' }));
    expect(list()).toEqual([expect.stringMatching(/^a\.jpgPhoto/), expect.stringMatching(/^receipt\.pdfDocument/)]);
    await user.click(dialog.getByRole('button', { name: 'Remove receipt.pdf' }));
    await user.click(dialog.getByRole('radio', { name: 'Document' }));
    await user.click(dialog.getByRole('button', { name: 'Save files' }));
    const put = await waitFor(() => FakeRequest.last());
    act(() => put.answer(200));
    await waitFor(() => expect(input('AddAttachment')).toMatchObject({ kind: 'document' }));
  });

  it('show that the attempt has the signature that was saved before a photo was refused', async () => {
    answers.AddAttachment = () => {
      if (delivery.attachments !== saved) return refusedFields({ url: ['File is no picture'] });
      delivery = { ...delivery, attachments: [attachment('a1', { kind: 'signature' })] };
      return { data: { addAttachment: { __typename: 'Attachment', id: 'a1' } } };
    };
    const saved = delivery.attachments;
    const { user, dialog } = await ask('Add files');
    await user.upload(dialog.getByLabelText('Upload a picture', { selector: 'input' }), new File(['x'], 's.png'));
    await user.upload(dialog.getByLabelText('Add photos', { selector: 'input' }), new File(['x'], 'a.jpg'));
    await user.click(dialog.getByRole('button', { name: 'Save files' }));
    for (const count of [1, 2]) {
      await waitFor(() => expect(FakeRequest.all).toHaveLength(count));
      act(() => FakeRequest.last().answer(200));
    }
    expect(await dialog.findByText('DR-1 cannot go on. File is no picture')).toBeInTheDocument();
    expect(await dialog.findByText('This attempt already has a signature.')).toBeInTheDocument();
  });

  it('that the server refuses stays, with what it said', async () => {
    answers.AddAttachment = () => refusedFields({ url: ['File is no picture'] });
    const { user, dialog } = await ask('Add files');
    await user.upload(dialog.getByLabelText('Add photos', { selector: 'input' }), new File(['x'], 'a.jpg'));
    await user.click(dialog.getByRole('button', { name: 'Save files' }));
    const put = await waitFor(() => FakeRequest.last());
    act(() => put.answer(200));
    expect(await dialog.findByText('DR-1 cannot go on. File is no picture')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Remove a.jpg' }));
    expect(dialog.getByRole('button', { name: 'Save files' })).toBeDisabled();
  });
});
