import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '@/test/axe';
import { attachment, completedDelivery, deliveryChanged, deliveryItem, fullDelivery, refusedFields } from '@/test/delivery';
import { enter } from '@/test/enter';
import { FakeSocket } from '@/test/fake-socket';
import {
  box,
  implied,
  inputs,
  line,
  open,
  photo,
  picker,
  recorded,
  save,
  sent,
  setStage,
  stage,
  uuid,
} from '@/test/outcome-form';
// Loaded up front, so that no test waits for a lazy import.
import './edit/edit-delivery-page';
import './view-delivery-page';

// Simulated typing is slow on busy machines.
vi.setConfig({ testTimeout: 60_000 });

beforeEach(setStage);

describe('a completed delivery', () => {
  it('is everything as expected, unless somebody says otherwise', async () => {
    const { user, address } = await open('delivered');
    expect(box('Delivered of item 10')).toHaveValue('40');
    expect(implied()).toHaveTextContent('Complete no variance');
    await expectAccessible();
    await user.click(save());
    expect(await screen.findByText('DR-1: Complete no variance')).toBeInTheDocument();
    await waitFor(() => expect(address()).toBe('/view-delivery/DR-1'));
    expect(inputs('RecordOutcome')).toEqual([
      {
        deliveryId: 'DR-1',
        version: 3,
        clientEventId: expect.stringMatching(uuid) as string,
        lines: [line('10'), line('20')],
        outcomeReason: null,
        outcomeNote: null,
        receivedBy: null,
        receivedByRelation: null,
        scanmode: 'No',
        point: null,
      },
    ]);
  });

  it('shows at once what the lines come to; the server says what it became', async () => {
    stage.answers.RecordOutcome = () => recorded('Complete_With_Variance');
    const { user } = await open('delivered');
    await user.clear(box('Delivered of item 20'));
    await user.type(box('Delivered of item 20'), '22.5');
    await user.type(box('Rejected of item 20'), '1.5');
    expect(implied()).toHaveTextContent('Complete with variance');
    expect(screen.getByRole('row', { name: /Goods 20/ })).toHaveTextContent('−1.5');
    const sums = screen.getByRole('region', { name: 'Status from item quantities' });
    expect(sums).toHaveTextContent('Expected64Delivered62.5Rejected1.5Missing0');
    await user.selectOptions(
      await screen.findByRole('combobox', { name: 'Reason of item 20' }),
      'Short shipped',
    );
    await enter(user, box('Note of item 20'), 'Not on the truck');
    await enter(user, box('Received by'), 'Carla Tan');
    await user.selectOptions(screen.getByRole('combobox', { name: /^Relationship/ }), 'Colleague');
    await user.click(screen.getByRole('checkbox', { name: 'Captured by scanning' }));
    await enter(user, box('Latitude'), '14.559');
    await enter(user, box('Longitude'), '121.02');
    await user.click(save());
    expect(await screen.findByText('DR-1: Complete with variance')).toBeInTheDocument();
    expect(inputs('RecordOutcome')[0]).toMatchObject({
      lines: [
        line('10'),
        line('20', {
          quantityDelivered: 22.5,
          quantityRejected: 1.5,
          varianceReason: 'short_shipped',
          varianceNote: 'Not on the truck',
        }),
      ],
      receivedBy: 'Carla Tan',
      receivedByRelation: 'colleague',
      scanmode: 'Yes',
      point: { lat: 14.559, lng: 121.02 },
    });
    expect(inputs('RecordOutcome')[0]).not.toHaveProperty('status');
  });

  it('says that an import left lines out', async () => {
    stage.delivery = fullDelivery({ incompleteUploadLogId: 'u7' });
    await open('delivered');
    expect(screen.getByText('Only part of this delivery was imported')).toBeInTheDocument();
    expect(screen.getByText(/Items refused at import are missing below/)).toBeInTheDocument();
  });

  it('tells the time somebody typed, on the clock of the organization', async () => {
    const { user } = await open('delivered');
    const when = within(screen.getByRole('group', { name: 'Outcome time' }));
    await user.clear(when.getByLabelText('Month'));
    await user.type(when.getByLabelText('Month'), '11');
    await user.clear(when.getByLabelText('Day'));
    await user.type(when.getByLabelText('Day'), '20');
    await user.clear(when.getByLabelText('Year'));
    await user.type(when.getByLabelText('Year'), '2026');
    await user.clear(when.getByLabelText('Time'));
    await user.type(when.getByLabelText('Time'), '11:08');
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
    expect(inputs('RecordOutcome')[0]).toMatchObject({ occurredAt: '2026-11-20T03:08:00.000Z' });
  });

  it('needs a reason where a line differs, and amounts that are some', async () => {
    const { user } = await open('delivered');
    await enter(user, box('Delivered of item 10'), '-1');
    await enter(user, box('Delivered of item 20'), '9');
    expect(screen.getByText(/Item 10 isn't included in these totals/)).toBeInTheDocument();
    await user.click(save());
    expect(await screen.findByText('Item 10: Delivered is too low')).toBeInTheDocument();
    expect(screen.getByText('Item 20: Reason is required')).toBeInTheDocument();
    expect(screen.getByRole('combobox', { name: 'Reason of item 20' })).toHaveAccessibleDescription(
      'Reason is required',
    );
    expect(screen.getByText('2 errors')).toBeInTheDocument();
    expect(sent('RecordOutcome')).toEqual([]);
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'Set all to expected' }));
    expect(box('Delivered of item 20')).toHaveValue('24');
    expect(screen.queryByText('2 errors')).not.toBeInTheDocument();
  });

  it('needs the note and the photo that a reason asks for', async () => {
    const { user } = await open('delivered');
    await enter(user, box('Delivered of item 20'), '20');
    const reason = await screen.findByRole('combobox', { name: 'Reason of item 20' });
    expect(within(reason).queryByRole('option', { name: 'Retired' })).not.toBeInTheDocument();
    await user.selectOptions(reason, 'Quality refused');
    await user.click(save());
    expect(await screen.findByText('Item 20: Note is required')).toBeInTheDocument();
    await user.selectOptions(reason, 'Damaged in transit');
    await user.click(save());
    expect(await screen.findByText('Photo is required', { selector: 'li, li *' })).toBeInTheDocument();
    await user.upload(picker('Add photos'), photo);
    expect(screen.queryByText('Photo is required', { selector: 'p' })).not.toBeInTheDocument();
    expect(sent('RecordOutcome')).toEqual([]);
  });

  it('is none where nothing was handed over', async () => {
    const { user } = await open('delivered');
    for (const name of ['Delivered of item 10', 'Delivered of item 20']) {
      await enter(user, box(name), '0');
    }
    for (const name of ['Reason of item 10', 'Reason of item 20']) {
      await user.selectOptions(await screen.findByRole('combobox', { name }), 'Short shipped');
    }
    expect(implied()).toHaveTextContent('Undelivered');
    await user.click(save());
    expect(await screen.findByText(/Record the delivery as Undelivered or Rejected instead/)).toBeInTheDocument();
    expect(sent('RecordOutcome')).toEqual([]);
  });

  it('without items says its status', async () => {
    stage.delivery = fullDelivery({ items: [], linecount: 0 });
    const { user } = await open('delivered');
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
    expect(inputs('RecordOutcome')[0]).toMatchObject({ status: 'Complete_No_Variance' });
    expect(inputs('RecordOutcome')[0]).not.toHaveProperty('lines');
  });
});

describe('what did not arrive', () => {
  it('is undelivered for a reason', async () => {
    stage.answers.RecordOutcome = () => recorded('Undelivered');
    const { user } = await open('undelivered');
    expect(screen.queryByRole('table')).not.toBeInTheDocument();
    await user.click(save());
    expect(await screen.findByText('Reason is required', { selector: 'p' })).toBeInTheDocument();
    const reason = screen.getByRole('combobox', { name: 'Reason' });
    await user.selectOptions(reason, 'Other');
    await user.click(save());
    await waitFor(() =>
      expect(box('Note')).toHaveAccessibleDescription(
        /^Note is required/,
      ),
    );
    await enter(user, box('Note'), 'Gate locked');
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
    expect(inputs('RecordOutcome')[0]).toEqual({
      deliveryId: 'DR-1',
      version: 3,
      clientEventId: expect.stringMatching(uuid) as string,
      status: 'Undelivered',
      outcomeReason: 'other',
      outcomeNote: 'Gate locked',
      receivedBy: null,
      receivedByRelation: null,
      scanmode: 'No',
      point: null,
    });
  });

  it('is rejected by somebody', async () => {
    const { user } = await open('delivered');
    await user.click(screen.getByRole('radio', { name: 'Undelivered' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Reason' }), 'Recipient absent');
    await user.click(screen.getByRole('radio', { name: 'Rejected' }));
    // The reasons of the two statuses differ, so the choice is cleared.
    expect(screen.getByRole('combobox', { name: 'Reason' })).toHaveValue('');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Reason' }), 'Refused: late');
    await enter(user, box('Received by'), 'Carla Tan');
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(1));
    expect(inputs('RecordOutcome')[0]).toMatchObject({
      status: 'Rejected',
      outcomeReason: 'refused_late',
      receivedBy: 'Carla Tan',
    });
  });

  it('offers only the outcomes that are allowed', async () => {
    stage.delivery = fullDelivery({ allowedActions: ['complete', 'print'] });
    await open('delivered');
    expect(screen.getAllByRole('radio').map((radio) => radio.getAttribute('value'))).toEqual(['delivered']);
  });
});

describe('what the server refuses', () => {
  it('stands at its field', async () => {
    stage.answers.RecordOutcome = () =>
      refusedFields({
        'lines.1.quantityDelivered': ['Delivered and rejected must not be more than expected'],
        receivedBy: ['Name of the recipient is required'],
        outcomeNote: ['Photo or note is required'],
        signature: ['Signature is required'],
        photos: ['Photo is required'],
        scanmode: ['Scan of the document or its items is required'],
        location: ['Location is required'],
        clientEventId: ['Client event id is required'],
      });
    const { user } = await open('delivered');
    await user.type(box('Received by'), 'x');
    await user.click(save());
    await waitFor(() =>
      expect(box('Delivered of item 20')).toHaveAccessibleDescription(
        'Delivered and rejected must not be more than expected',
      ),
    );
    const described = [
      [box('Received by'), 'Name of the recipient is required'],
      [box('Note'), 'Photo or note is required'],
      [screen.getByRole('checkbox'), 'Scan of the document or its items is required'],
      [box('Latitude'), 'Location is required'],
      [screen.getByRole('button', { name: 'Draw' }), 'Signature is required'],
      [screen.getByRole('button', { name: 'Add photos' }), 'Photo is required'],
    ] as const;
    for (const [field, text] of described) expect(field).toHaveAccessibleDescription(expect.stringContaining(text));
    expect(screen.getByText('Errors prevented this form from being saved')).toBeInTheDocument();
    expect(screen.getByText('Client event id is required', { selector: 'li, li *' })).toBeInTheDocument();
    await expectAccessible();

    stage.answers.RecordOutcome = () => recorded('Complete_No_Variance');
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(2));
    const ids = inputs('RecordOutcome').map((input) => (input as { clientEventId: string }).clientEventId);
    expect(ids[0]).toBe(ids[1]);
  });

  it('is told when the network is gone, and one event stays one event', async () => {
    stage.answers.RecordOutcome = () => {
      throw new TypeError('lost');
    };
    const { user } = await open('delivered');
    await user.click(save());
    expect(await screen.findByText('An error has occurred')).toBeInTheDocument();
    stage.answers.RecordOutcome = () => recorded('Complete_No_Variance');
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(2));
    const [first, second] = inputs('RecordOutcome');
    expect(second).toEqual(first);
  });
});

describe('somebody who was faster', () => {
  it('is named with what they changed; what was typed stays', async () => {
    const { user } = await open('delivered');
    await enter(user, box('Delivered of item 20'), '20');
    await enter(user, box('Received by'), 'Carla');
    await user.selectOptions(
      await screen.findByRole('combobox', { name: 'Reason of item 20' }),
      'Short shipped',
    );
    stage.answers.RecordOutcome = () => deliveryChanged;
    stage.delivery = fullDelivery({
      version: 5,
      updatedBy: 'dennis',
      driverId: 'DRV-9',
      items: [deliveryItem('10', { quantity: 44 }), deliveryItem('20'), deliveryItem('30')],
    });
    await user.click(save());
    const title = await screen.findByText(/Changed elsewhere by dennis on Nov 20, 2026 11:08 AM/);
    const note = title.closest('[role="alert"]');
    expect(note).toHaveFocus();
    expect(note).toHaveTextContent('Driver ID: None → DRV-9');
    expect(note).toHaveTextContent('Item 10 Expected: 40 → 44');
    expect(note).toHaveTextContent('Item 30');
    expect(box('Delivered of item 20')).toHaveValue('20');
    await expectAccessible();

    await user.click(screen.getByRole('button', { name: 'Reload and keep my entries' }));
    expect(await screen.findByRole('textbox', { name: 'Delivered of item 30' })).toHaveValue('24');
    expect(box('Delivered of item 10')).toHaveValue('44');
    expect(box('Delivered of item 20')).toHaveValue('20');
    expect(box('Received by')).toHaveValue('Carla');
    stage.answers.RecordOutcome = () => recorded('Complete_With_Variance');
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(2));
    expect(inputs('RecordOutcome')[1]).toMatchObject({
      version: 5,
      receivedBy: 'Carla',
      lines: [
        line('10', { quantityDelivered: 44 }),
        line('20', { quantityDelivered: 20, varianceReason: 'short_shipped' }),
        line('30'),
      ],
    });
  });

  it('may have recorded the outcome: then this one cannot be', async () => {
    const { user } = await open('delivered');
    stage.answers.RecordOutcome = () => deliveryChanged;
    stage.delivery = completedDelivery({ version: 5, updatedBy: 'dennis' });
    await user.click(save());
    expect(await screen.findByText(/The delivery is now Complete with variance/)).toBeInTheDocument();
    expect(save()).toBeDisabled();
    expect(screen.queryByRole('button', { name: /keep my entries/ })).not.toBeInTheDocument();
  });

  it('is told before anything is sent', async () => {
    FakeSocket.install();
    await open('delivered');
    await waitFor(() => expect(FakeSocket.last().open('deliveryChanged')).toHaveLength(1));
    stage.delivery = fullDelivery({ version: 4, updatedBy: 'dennis', driverId: 'DRV-9' });
    act(() => FakeSocket.last().push({ deliveryChanged: { __typename: 'DeliveryChange', id: 'DR-1' } }));
    const title = await screen.findByText(/Changed elsewhere by dennis/);
    expect(title.closest('[role="status"]')).not.toBeNull();
    expect(save()).toBeEnabled();
  });

  it('who changed nothing of this costs a second press only', async () => {
    const { user } = await open('delivered');
    stage.answers.RecordOutcome = () => deliveryChanged;
    stage.delivery = fullDelivery({ version: 4 });
    await user.click(save());
    expect(await screen.findByText(/don't affect what you see here/)).toBeInTheDocument();
    stage.answers.RecordOutcome = () => recorded('Complete_No_Variance');
    await user.click(save());
    await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(2));
    expect(inputs('RecordOutcome')[1]).toMatchObject({ version: 4 });
  });
});

describe('a correction of lines', () => {
  beforeEach(() => {
    stage.delivery = completedDelivery();
  });

  it('starts from what was counted and needs a reason', async () => {
    const { user, address } = await open('correct');
    expect(box('Delivered of item 20')).toHaveValue('22');
    expect(implied()).toHaveTextContent('Complete with variance');
    expect(save()).toBeDisabled();
    await enter(user, box('Delivered of item 20'), '24');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Condition of item 20' }), 'OK');
    expect(implied()).toHaveTextContent('Complete no variance');
    await user.click(save());
    expect(await screen.findByText('Reason for the correction is required', { selector: 'p' })).toBeInTheDocument();
    await enter(user, box('Reason for the correction'), 'Recounted with the store');
    await expectAccessible();
    await user.click(save());
    await waitFor(() => expect(address()).toBe('/view-delivery/DR-1'));
    expect(inputs('CorrectDelivery')).toEqual([
      {
        deliveryId: 'DR-1',
        version: 3,
        clientEventId: expect.stringMatching(uuid) as string,
        reason: 'Recounted with the store',
        lines: [line('10'), line('20')],
      },
    ]);
  });

  it('shows what the server refuses at the line', async () => {
    stage.delivery = completedDelivery({ attachments: [attachment('p')] });
    stage.answers.CorrectDelivery = () => refusedFields({ 'lines.1.varianceReason': ['Reason is no longer in use'] });
    const { user } = await open('correct');
    await enter(user, box('Delivered of item 20'), '21');
    await enter(user, box('Reason for the correction'), 'Recounted');
    await user.click(save());
    await waitFor(() =>
      expect(screen.getByRole('combobox', { name: 'Reason of item 20' })).toHaveAccessibleDescription(
        'Reason is no longer in use',
      ),
    );
  });
});

it('is not for a delivery that does not allow it', async () => {
  stage.delivery = completedDelivery();
  await open('delivered');
  expect(screen.getByRole('heading', { name: "“Complete” isn't available right now" })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
});

it('sends ids that an address would take apart as they are', async () => {
  const id = 'DR 1/2 100%';
  const { user, address } = await open('delivered', id);
  stage.answers.RecordOutcome = () => ({
    data: {
      recordOutcome: { __typename: 'Delivery', id, version: 4, deliverystatus: 'Complete_No_Variance' },
    },
  });
  await user.click(save());
  await waitFor(() => expect(address()).toBe('/view-delivery/DR%201%2F2%20100%25'));
  expect(inputs('RecordOutcome')[0]).toMatchObject({ deliveryId: id });
});
