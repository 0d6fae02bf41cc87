import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { deliveryChanged } from '@/test/delivery';
import { enter } from '@/test/enter';
import { box, inputs, open, recorded, save, sent, setStage, stage } from '@/test/outcome-form';
// Loaded up front, so that no test waits for a lazy import.
import './edit/edit-delivery-page';

// Simulated typing is slow on busy machines.
vi.setConfig({ testTimeout: 60_000 });

beforeEach(setStage);

const lose = () => {
  throw new TypeError('lost');
};

it('says that the earlier attempt was saved when its answer was lost and the form was changed since', async () => {
  stage.answers.RecordOutcome = lose;
  const { user } = await open('delivered');
  await user.click(save());
  await screen.findByText('An error has occurred');
  stage.answers.RecordOutcome = () => {
    const text = 'The client event 0193f2 was already sent for DR-1 with other content';
    const properties = { messages: { clientEventId: [text] } };
    return { errors: [{ message: text, extensions: { code: 'BAD_USER_INPUT', reason: 'CLIENT_EVENT_REUSED', properties } }] };
  };
  await user.type(box('Note'), 'At the gate');
  await user.click(save());
  await screen.findByText(
    "Your earlier attempt was saved. Check the delivery; changes you made since then aren't in it.",
  );
  expect(screen.queryByText(/0193f2/)).not.toBeInTheDocument();
  expect(box('Note')).toHaveValue('At the gate');

  // What is saved next is another change.
  stage.answers.RecordOutcome = () => recorded('Complete_No_Variance');
  await user.click(save());
  await waitFor(() => expect(sent('RecordOutcome')).toHaveLength(3));
  const ids = inputs('RecordOutcome').map((input) => (input as { clientEventId: string }).clientEventId);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
});

it('recognizes an earlier attempt of the same form, whose answer was lost', async () => {
  stage.answers.UpdateDelivery = lose;
  const { user } = await open();
  await enter(user, box('Contact name'), 'Carla Tan');
  await user.click(save());
  await screen.findByText('An error has occurred');
  stage.answers.UpdateDelivery = () => deliveryChanged;
  stage.delivery = { ...stage.delivery, version: 4, updatedBy: 'rosa', contactName: 'Carla Tan' };
  await user.click(save());
  const title = await screen.findByText(/^You changed this on .*, possibly with your earlier attempt$/);
  expect(title.closest('[role="alert"]')).toHaveTextContent("Your latest attempt wasn't saved.");
  expect(screen.queryByText(/Changed elsewhere/)).not.toBeInTheDocument();
});
