import { fireEvent, screen, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { type ReactNode, useState } from 'react';
import { expect, it } from 'vitest';
import { deliveryRow } from '@/test/deliveries';
import { foundDrivers } from '@/test/drivers';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderPage } from '@/test/render';
import { AssignDialog } from './assign-dialog';
import { ChangeDispatchDialog } from './dispatch-dialog';

type Input = Record<string, unknown>;

const results = [{ __typename: 'BulkResult', deliveryId: 'DR-1000', ok: true, code: null, text: null }];
const undone = {
  __typename: 'BulkChange',
  id: 'u1',
  verb: 'undo',
  state: 'done',
  total: 1,
  done: 1,
  changed: 1,
  failed: 0,
  leftOut: [],
  failureText: null,
  finishedAt: '2026-11-20T01:31:00Z',
  cancelRequested: false,
};
const selected = { ids: ['DR-1000'], rows: [deliveryRow(1000, { version: 4 })], onSelect: () => {} };

/** Shows a dialog until it calls `onClose`. */
function Opened({ dialog }: { dialog: (onClose: () => void) => ReactNode }) {
  const [isOpen, setOpen] = useState(true);
  return isOpen && dialog(() => setOpen(false));
}

/** Starts a server that makes each change, but whose first answer is lost. */
function startLosingServer() {
  let isFirst = true;
  const change = (name: string) => () => {
    if (isFirst) {
      isFirst = false;
      throw new TypeError('lost');
    }
    return { data: { [name]: results } };
  };
  return startFakeServer({
    user: rosa,
    operations: {
      AssignDriver: change('assignDriver'),
      ChangeDispatchTimes: change('changeDispatchTimes'),
      UndoBulkChange: () => ({ data: { undoBulkChange: undone } }),
      BulkChange: () => ({ data: { bulkChange: undone } }),
      DriversLookup: () => foundDrivers(['DRV-014', 'Rico Santos']),
    },
  });
}

async function undo(hand: UserEvent) {
  expect(await screen.findByText('1 done')).toBeInTheDocument();
  await hand.click(screen.getByText('Close'));
  await hand.click(await screen.findByText('Undo'));
  expect(await screen.findByText('1 delivery restored.')).toBeInTheDocument();
}

const inputsOf = ({ calls }: FakeServer, operation: string) =>
  calls.filter(({ name }) => name === operation).map(({ variables }) => variables.input as Input);
const undoneId = ({ calls }: FakeServer) =>
  calls.find(({ name }) => name === 'UndoBulkChange')?.variables.changeId;

it.each([
  ['the same time', '09:30', '2035-11-23T01:30:00.000Z'],
  ['another time', '10:30', '2035-11-23T02:30:00.000Z'],
])('sends %s again under the same ID when the answer was lost, and offers to undo it', async (_, time, moved) => {
  const server = startLosingServer();
  const { user: hand } = renderPage(
    <Opened dialog={(onClose) => <ChangeDispatchDialog {...selected} onClose={onClose} />} />,
  );
  const enterTime = (value: string) => fireEvent.change(screen.getByLabelText('Time'), { target: { value } });
  await hand.click(await screen.findByLabelText('Month'));
  await hand.paste('2035-11-23');
  enterTime('09:30');
  await hand.click(screen.getByText('Change 1 delivery', { selector: 'button' }));
  expect(await screen.findByText('An error has occurred')).toBeInTheDocument();
  enterTime(time);
  await hand.click(screen.getByText('Change 1 delivery', { selector: 'button' }));
  await undo(hand);
  const [lost, again] = inputsOf(server, 'ChangeDispatchTimes');
  expect(again).toEqual({
    changes: [{ deliveryId: 'DR-1000', version: 4, scheduledatetime: moved }],
    undoId: lost?.undoId,
  });
  expect(undoneId(server)).toBe(lost?.undoId);
});

it('keeps the ID of an undo when another driver is chosen after the answer was lost', async () => {
  const server = startLosingServer();
  const { user: hand } = renderPage(
    <Opened dialog={(onClose) => <AssignDialog {...selected} onClose={onClose} />} />,
  );
  await hand.click(await screen.findByLabelText('Unassigned'));
  await hand.click(screen.getByText('Unassign 1 delivery'));
  expect(await screen.findByText('An error has occurred')).toBeInTheDocument();
  const dialog = within(screen.getByRole('dialog'));
  await hand.click(dialog.getByLabelText('Driver'));
  fireEvent.change(await dialog.findByLabelText('Driver ID'), { target: { value: 'rico' } });
  await hand.click(await screen.findByText('Rico Santos (DRV-014)'));
  await hand.click(screen.getByText('Assign 1 delivery'));
  await undo(hand);
  const [lost, again] = inputsOf(server, 'AssignDriver');
  expect([lost?.driverId, again?.driverId]).toEqual([null, 'DRV-014']);
  expect(again?.undoId).toBe(lost?.undoId);
  expect(undoneId(server)).toBe(lost?.undoId);
});
