import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { fullDelivery, reasonsAnswer } from '@/test/delivery';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { setTimeZone } from '@/test/time-zone';
// Loaded up front, so that no test waits for a lazy import.
import './edit/edit-delivery-page';

it('keeps the instants of a delivery when the time zone of the organization changes', async () => {
  const scheduledatetime = '2026-11-20T01:30:12.000Z';
  const { calls } = startFakeServer({
    user: rosa,
    operations: {
      ViewDelivery: () => ({ data: { delivery: fullDelivery({ scheduledatetime }) } }),
      Reasons: () => reasonsAnswer,
      UpdateDelivery: () => ({ data: { updateDelivery: { __typename: 'Delivery', id: 'DR-1', version: 4 } } }),
    },
  });
  const { user, auth } = renderRoutes(declarations, '/edit-delivery/DR-1');
  const dispatch = await screen.findByLabelText('Dispatch Time');
  const save = screen.getByRole('button', { name: 'Save' });
  setTimeZone(auth, 'UTC');
  expect(dispatch).toHaveValue('01:30');
  expect(save).toBeDisabled();
  const from = within(screen.getByRole('group', { name: /^Time window from/ }));
  await user.click(from.getByLabelText('Month'));
  await user.paste('2026-11-20');
  await user.type(from.getByLabelText('Time'), '07:00');
  setTimeZone(auth, 'Asia/Manila');
  expect(from.getByLabelText('Time')).toHaveValue('15:00');
  await user.click(save);
  const sent = () => calls.filter(({ name }) => name === 'UpdateDelivery').map(({ variables }) => variables.input);
  await waitFor(() =>
    expect(sent()).toMatchObject([{ scheduledatetime, timeWindowStart: '2026-11-20T07:00:00.000Z' }]),
  );
});
