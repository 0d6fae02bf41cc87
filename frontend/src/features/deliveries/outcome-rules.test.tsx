import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { attachment, fullDelivery, reasonsAnswer, refusedFields } from '@/test/delivery';
import { enter } from '@/test/enter';
import { FakeRequest } from '@/test/fake-request';
import { box, inputs, open, photo, picker, save, sent, setStage, stage } from '@/test/outcome-form';
import { setTimeZone } from '@/test/time-zone';
// Loaded up front, so that no test waits for a lazy import.
import './edit/edit-delivery-page';
import './view-delivery-page';

// Simulated typing is slow on busy machines.
vi.setConfig({ testTimeout: 60_000 });

beforeEach(setStage);

const required = () =>
  within(screen.getByRole('list', { name: 'Required proof' }))
    .getAllByRole('listitem')
    .map((item) => item.textContent);
const absent = async (user: Awaited<ReturnType<typeof open>>['user']) => {
  await screen.findByRole('option', { name: 'Recipient absent' });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Reason' }), 'Recipient absent');
};

describe('the setting for a failed attempt is said before anything is refused', () => {
  it('a photo or a note, whichever', async () => {
    const { user } = await open('undelivered');
    expect(required()).toEqual(['Photo or notemissing']);
    expect(screen.getByRole('textbox', { name: 'Note' })).toBeInTheDocument();
    expect(screen.getByRole('group', { name: 'Photos' })).toBeInTheDocument();
    await absent(user);
    await user.click(save());
    await waitFor(() => expect(box('Note')).toHaveAccessibleDescription(/^Photo or note is required/));
    expect(sent('RecordOutcome')).toEqual([]);
    await enter(user, box('Note'), 'Gate locked');
    expect(required()).toEqual(['Photo or noteprovided']);
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
  });

  it('a photo', async () => {
    stage.settings = { failedAttemptProof: 'photo' };
    const { user } = await open('undelivered');
    expect(required()).toEqual(['Photomissing']);
    await absent(user);
    await enter(user, box('Note'), 'Gate locked');
    await user.click(save());
    expect(await screen.findByText('Photo is required', { selector: 'p' })).toBeInTheDocument();
    expect(sent('RecordOutcome')).toEqual([]);
  });

  it('nothing', async () => {
    stage.settings = { failedAttemptProof: 'nothing' };
    const { user } = await open('undelivered');
    expect(screen.getByText(/^No proof required\./)).toBeInTheDocument();
    await absent(user);
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
  });
});

describe('reasons that were changed meanwhile', () => {
  const changeReasons = (changes: Record<string, object>) => {
    const reasons = reasonsAnswer.data.reasons.map((reason) => ({ ...reason, ...changes[reason.code] }));
    stage.answers.Reasons = () => ({ data: { reasons } });
  };
  const hasAbsent = () => screen.queryByRole('option', { name: 'Recipient absent' }) !== null;

  /** Opens the form, leaves it, and opens it again after the change. */
  async function openAgain(change: () => void) {
    const view = await open('undelivered');
    await screen.findByRole('option', { name: 'Recipient absent' });
    await view.user.click(screen.getByRole('link', { name: 'Cancel' }));
    const reason = () => screen.queryByRole('combobox', { name: 'Reason' });
    await waitFor(() => expect(reason()).not.toBeInTheDocument());
    change();
    void view.router.navigate('/edit-delivery/DR-1?outcome=undelivered');
    await waitFor(() => expect(reason()).toBeInTheDocument());
    return view;
  }

  it('are read again when a form opens', async () => {
    await openAgain(() => changeReasons({ recipient_absent: { isActive: false } }));
    await screen.findByRole('option', { name: 'Other' });
    await waitFor(() => expect(hasAbsent()).toBe(false));
  });

  it('can still be chosen when reading them again fails', async () => {
    const refuse = vi.fn(() => ({ errors: [{ message: 'Too busy' }] }));
    const { user } = await openAgain(() => (stage.answers.Reasons = refuse));
    await waitFor(() => expect(refuse).toHaveBeenCalled());
    await enter(user, box('Note'), 'Gate locked');
    await absent(user);
    expect(screen.queryByText("Couldn't load reasons.")).not.toBeInTheDocument();
    await user.click(save());
    await waitFor(() => expect(inputs('RecordOutcome')).toMatchObject([{ outcomeReason: 'recipient_absent' }]));
  });

  it('are read again when one is refused, which stays selected until another is chosen', async () => {
    const refusal = 'Reason "Recipient absent" is no longer in use. Choose another one';
    stage.answers.RecordOutcome = () => refusedFields({ outcomeReason: [refusal] });
    const { user } = await open('undelivered');
    const reason = screen.getByRole('combobox', { name: 'Reason' });
    await absent(user);
    await enter(user, box('Note'), 'Gate locked');
    changeReasons({ recipient_absent: { isActive: false }, other: { requiresPhoto: true } });
    await user.click(save());
    await waitFor(() => expect(reason).toHaveAccessibleDescription(refusal));
    await waitFor(() => expect(sent('Reasons').length).toBeGreaterThan(1));
    expect(reason).toHaveDisplayValue('Recipient absent');
    await user.selectOptions(reason, 'Other');
    await waitFor(() => expect(hasAbsent()).toBe(false));
    expect(reason).toHaveDisplayValue('Other');
    expect(required()).toContain('Photomissing');
  });
});

it('a refusal needs the name of a person, unless the shipper canceled', async () => {
  const { user } = await open('rejected');
  const relation = screen.getByRole('combobox', { name: /^Relationship/ });
  await screen.findByRole('option', { name: 'Refused: late' });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Reason' }), 'Refused: late');
  expect(screen.getByRole('textbox', { name: 'Received by' })).toBeInTheDocument();
  await user.click(save());
  await waitFor(() => expect(box('Received by')).toHaveAccessibleDescription(/^Received by is required/));
  await user.selectOptions(relation, 'Mailbox');
  await user.click(save());
  expect(await screen.findByText(/Choose a person/, { selector: 'p' })).toBeInTheDocument();
  await user.selectOptions(relation, 'Recipient');
  await user.click(save());
  await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
});

it('takes as many files of an attempt, and as large ones, as is set', async () => {
  stage.settings = { maxAttachments: 2, maxAttachmentBytes: 3 * 1024 * 1024 };
  stage.delivery = fullDelivery({ attachments: [attachment('p')] });
  const { user } = await open('delivered');
  expect(screen.getByText(/at most 3 MB each and 2 files per attempt/)).toBeInTheDocument();
  const large = new File([new Uint8Array(3 * 1024 * 1024 + 1)], 'large.jpg', { type: 'image/jpeg' });
  await user.upload(picker('Add photos'), large);
  expect(await screen.findByText('large.jpg is larger than 3 MB.')).toBeInTheDocument();
  await user.upload(picker('Add photos'), photo);
  expect(await screen.findByText('goods.jpg')).toBeInTheDocument();
  await user.upload(picker('Add photos'), new File(['jpeg'], 'second.jpg', { type: 'image/jpeg' }));
  expect(await screen.findByText("There's no room for second.jpg: each attempt can have at most 2 files.")).toBeInTheDocument();
});

it('counts files once that were saved before the outcome was refused', async () => {
  stage.settings = { maxAttachments: 3, failedAttemptProof: 'nothing' };
  const saved: object[] = [];
  stage.answers.AddAttachment = () => {
    const id = `a${saved.length + 1}`;
    saved.push(attachment(id));
    stage.delivery = fullDelivery({ attachments: [...saved] });
    return { data: { addAttachment: { __typename: 'Attachment', id } } };
  };
  stage.answers.RecordOutcome = () => ({ errors: [{ message: 'Too busy' }] });
  const { user } = await open('undelivered');
  await absent(user);
  const choose = (...names: string[]) =>
    user.upload(picker('Add photos'), names.map((name) => new File(['jpeg'], name, { type: 'image/jpeg' })));
  await choose('one.jpg', 'two.jpg');
  await user.click(save());
  for (const number of [1, 2]) {
    await waitFor(() => expect(FakeRequest.all).toHaveLength(number));
    act(() => FakeRequest.last().answer(200));
  }
  await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
  expect(await screen.findByText('This attempt already has 2 photos.')).toBeInTheDocument();
  expect(screen.queryByText('two.jpg')).not.toBeInTheDocument();
  await choose('three.jpg');
  expect(await screen.findByText('three.jpg')).toBeInTheDocument();
  await choose('four.jpg');
  expect(await screen.findByText("There's no room for four.jpg: each attempt can have at most 3 files.")).toBeInTheDocument();
});

describe('a delivery that has not left yet', () => {
  beforeEach(() => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    stage.delivery = fullDelivery({ scheduledatetime: tomorrow });
  });

  it('is completed only after a question', async () => {
    const { user } = await open('delivered');
    await user.click(save());
    const question = within(await screen.findByRole('alertdialog'));
    expect(question.getByText(/DR-1 isn't due to leave until .* "Before dispatch"/)).toBeInTheDocument();
    await user.click(question.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
    expect(sent('RecordOutcome')).toEqual([]);
    await user.click(save());
    await user.click(await screen.findByRole('button', { name: 'Complete anyway' }));
    await waitFor(() => expect(inputs('RecordOutcome')).toHaveLength(1));
    expect(await screen.findByText('DR-1: Complete no variance')).toBeInTheDocument();
  });

  it('is refused without one, as that may well be before', async () => {
    const { user } = await open('undelivered');
    await absent(user);
    await enter(user, box('Note'), 'Gate locked');
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
  });
});

describe('the time of an outcome is one that the server takes', () => {
  const enterTime = async (user: Awaited<ReturnType<typeof open>>['user'], day: string, time: string) => {
    const when = within(screen.getByRole('group', { name: 'Outcome time' }));
    await enter(user, when.getByLabelText('Month'), day);
    await enter(user, when.getByLabelText('Time'), time);
    await user.click(save());
  };
  const begin = async () => {
    const { user } = await open('undelivered');
    await absent(user);
    await enter(user, box('Note'), 'Gate locked');
    return user;
  };

  it('neither in the future nor before the delivery was created', async () => {
    const user = await begin();
    await enterTime(user, '2099-01-01', '08:00');
    expect(await screen.findByText("Choose a time that isn't in the future", { selector: 'p' })).toBeInTheDocument();
    // It was created at 4:15 PM in Manila.
    await enterTime(user, '2026-11-19', '16:13');
    expect(await screen.findByText('Choose a time after the delivery was created', { selector: 'p' })).toBeInTheDocument();
    expect(sent('RecordOutcome')).toEqual([]);
    await enterTime(user, '2026-11-19', '16:15');
    await waitFor(() => expect(inputs('RecordOutcome')).toMatchObject([{ occurredAt: '2026-11-19T08:15:00.000Z' }]));
  });

  it('also after the time zone of the organization has changed', async () => {
    stage.answers.RecordOutcome = () => ({ errors: [{ message: 'Too busy' }] });
    const { user, auth } = await open('undelivered');
    await absent(user);
    await enter(user, box('Note'), 'Gate locked');
    setTimeZone(auth, 'UTC');
    await user.click(save());
    await waitFor(() => expect(inputs('RecordOutcome')).toHaveLength(1));
    // It wasn't entered, so the server's time counts.
    expect(inputs('RecordOutcome')[0]).not.toHaveProperty('occurredAt');
    await enterTime(user, '2026-11-19', '16:13');
    await waitFor(() => expect(inputs('RecordOutcome')).toHaveLength(2));
    setTimeZone(auth, 'Asia/Manila');
    await user.click(save());
    await waitFor(() => expect(inputs('RecordOutcome')).toHaveLength(3));
    expect(inputs('RecordOutcome')[2]).toMatchObject({ occurredAt: '2026-11-19T16:13:00.000Z' });
  });

  it('from a day before the dispatch, if it was imported afterwards', async () => {
    stage.delivery = fullDelivery({ scheduledatetime: '2026-11-10T01:00:00Z' });
    const user = await begin();
    await enterTime(user, '2026-11-09', '08:58');
    expect(await screen.findByText(/no more than one day before the planned dispatch/, { selector: 'p' })).toBeInTheDocument();
    expect(sent('RecordOutcome')).toEqual([]);
    await enterTime(user, '2026-11-09', '09:00');
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
  });
});
