import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeFilters } from '@/list/filters-codec';
import { toLocationState } from '@/list/list-origin';
import { expectAccessible } from '@/test/axe';
import { completedDelivery, fullDelivery } from '@/test/delivery';
import { FakeSocket } from '@/test/fake-socket';
import { fact, openDelivery, panel, ready, sent, setStage, stage } from '@/test/view-delivery';
// Loaded up front, so that no test waits for a lazy import.
import './view-delivery-page';

// Simulated typing is slow on busy machines.
vi.setConfig({ testTimeout: 60_000 });
beforeEach(setStage);

describe('the facts', () => {
  it('are shown with their labels', async () => {
    stage.delivery = completedDelivery({
      timeWindowStart: '2026-11-20T02:00:00Z',
      timeWindowEnd: '2026-11-20T03:30:00Z',
      attempt: 1,
    });
    openDelivery();
    await ready();
    expect(fact('Delivery Doc')).toHaveTextContent('DR-1');
    expect(fact('Reference Doc')).toHaveTextContent('SI-880417');
    expect(fact('Dispatch Date and Time')).toHaveTextContent('Nov 20, 2026 9:30 AM');
    expect(fact('Dispatch Date')).toHaveTextContent('Nov 20, 2026');
    expect(fact('Dispatch Time')).toHaveTextContent('9:30 AM');
    expect(fact('Processed at Date')).toHaveTextContent('Nov 20, 2026 11:08 AM');
    expect(fact('Driver ID')).toHaveTextContent('Unassigned');
    expect(fact('Scan Mode')).toHaveTextContent('Yes');
    expect(fact('Time window')).toHaveTextContent('10:00 AM – 11:30 AMOn time');
    expect(fact('Attempt')).toHaveTextContent('1 of 3');
    expect(fact('Internal note')).toHaveTextContent('None');
    expect(screen.getAllByText('Complete with variance')[0]).toBeInTheDocument();
    await expectAccessible();
  });

  it('give each end of the time window its date if it is not on the day of dispatch', async () => {
    stage.delivery = fullDelivery({
      timeWindowStart: '2026-11-20T14:00:00Z',
      timeWindowEnd: '2026-11-20T18:00:00Z',
    });
    openDelivery();
    await ready();
    expect(fact('Dispatch Date')).toHaveTextContent('Nov 20, 2026');
    expect(fact('Time window')).toHaveTextContent('10:00 PM – Nov 21, 2026 2:00 AM');
  });

  it('name the driver, lead to them, and say that they may not work', async () => {
    stage.delivery = completedDelivery({
      driverId: 'drv-014',
      driver: { __typename: 'Driver', driverId: 'DRV-014', name: 'Rico Santos', status: 'blocked' },
    });
    openDelivery();
    await ready();
    expect(fact('Driver ID')).toHaveTextContent('DRV-014Rico SantosBlocked');
    expect(screen.getByRole('link', { name: 'DRV-014' })).toHaveAttribute('href', '/drivers/DRV-014');
  });

  it('name a driver whom nobody made by the id, and say so', async () => {
    stage.delivery = completedDelivery({ driverId: 'DRV-099', driver: null });
    openDelivery();
    await ready();
    expect(fact('Driver ID')).toHaveTextContent(/^DRV-099Unknown$/);
  });

  it('dial the number of the contact, without its extension', async () => {
    stage.delivery = fullDelivery({ contactName: 'Carla Tan', contactPhone: '02 8123 4567 ext. 12' });
    openDelivery();
    await ready();
    expect(fact('Contact')).toHaveTextContent(/^Carla Tan · 02 8123 4567 ext. 12$/);
    expect(screen.getByRole('link', { name: '02 8123 4567 ext. 12' })).toHaveAttribute('href', 'tel:0281234567');
    await expectAccessible();
  });

  it('lead to the status history of this delivery alone', async () => {
    openDelivery();
    await ready();
    const href = screen.getByRole('link', { name: 'History' }).getAttribute('href') ?? '';
    const { pathname, searchParams } = new URL(href, 'http://x');
    expect(pathname).toBe('/delivery-status-histories');
    expect(decodeFilters(searchParams.get('filters')).filters).toEqual([
      { key: 'deliveryId', operator: 'equals', values: [{ label: 'DR-1', value: 'DR-1' }] },
    ]);
  });

  it('stay when reading them again fails', async () => {
    stage.delivery = completedDelivery({ conflict: true });
    const { user } = openDelivery();
    await ready();
    stage.failing = true;
    await user.click(screen.getByRole('button', { name: 'Mark as reviewed' }));
    expect(await screen.findByText(/Couldn't refresh\./)).toBeInTheDocument();
    expect(fact('Delivery Doc')).toHaveTextContent('DR-1');
  });
});

describe('actions', () => {
  const all = [
    'Delivery form',
    'Edit delivery',
    'Complete',
    'Mark undelivered',
    'Reject',
    'Reschedule',
    'Record phone refusal',
    'Assign driver',
    'Add files',
    'Correct items',
    'Correct status',
    'Reopen',
  ];

  async function offered(user: ReturnType<typeof openDelivery>['user']) {
    const more = screen.queryByRole('button', { name: 'More actions' });
    if (more) await user.click(more);
    const names = [
      ...screen.queryAllByRole('link', { hidden: true }),
      ...screen.queryAllByRole('button', { hidden: true }),
      ...screen.queryAllByRole('menuitem'),
    ].map((element) => element.textContent);
    return all.filter((name) => names.includes(name));
  }

  it.each([
    ['all of an open one', fullDelivery().allowedActions, [
      'Delivery form', 'Edit delivery', 'Complete', 'Mark undelivered', 'Reject', 'Assign driver', 'Add files',
    ]],
    ['those after a failed attempt', ['edit', 'reschedule', 'refuse_after_attempt', 'print'], [
      'Delivery form', 'Edit delivery', 'Reschedule', 'Record phone refusal',
    ]],
    ['corrections', ['correct_lines', 'correct_status', 'print'], [
      'Delivery form', 'Correct items', 'Correct status',
    ]],
    ['reopening', ['reopen', 'add_evidence'], ['Add files', 'Reopen']],
    ['nothing but the form', ['print'], ['Delivery form']],
    ['nothing', [], []],
  ])('are what the server allows: %s', async (_, allowedActions, expected) => {
    stage.delivery = fullDelivery({ allowedActions });
    const { user } = openDelivery();
    await ready();
    expect(await offered(user)).toEqual(expected);
  });

  it('do not ask the role', async () => {
    stage.delivery = fullDelivery({ allowedActions: ['print'] });
    const { user } = openDelivery('/view-delivery/DR-1', { roles: ['admin'] });
    await ready();
    expect(await offered(user)).toEqual(['Delivery form']);
  });

  it.each([
    ['c', 'Complete', 'complete', '/edit-delivery/DR-1?outcome=delivered'],
    ['c', 'Correct items', 'correct_lines', '/edit-delivery/DR-1?outcome=correct'],
    ['e', 'Edit delivery', 'edit', '/edit-delivery/DR-1'],
    ['p', 'Delivery form', 'print', '/forms/DR-1'],
  ])('go by the key %s, which the tooltip names: %s', async (key, name, action, target) => {
    stage.delivery = fullDelivery({ allowedActions: [action] });
    const { user, address } = openDelivery();
    await ready();
    await user.hover(screen.getByRole('link', { name }));
    expect(await screen.findByRole('tooltip')).toHaveTextContent(`${name}${key}`);
    await user.keyboard(key);
    await waitFor(() => expect(address()).toBe(target));
  });

  it('have no keys where somebody turned them off, or may not do that', async () => {
    stage.delivery = fullDelivery({ allowedActions: ['print'] });
    const first = openDelivery();
    await ready();
    await first.user.keyboard('ce');
    expect(first.address()).toBe('/view-delivery/DR-1');
    first.unmount();
    localStorage.setItem('waybill.list.shortcuts', 'false');
    const { user, address } = openDelivery();
    await ready();
    await user.keyboard('p');
    expect(address()).toBe('/view-delivery/DR-1');
  });

  it('lead to the forms, and remember the list', async () => {
    stage.delivery = fullDelivery();
    const origin = { list: 'deliveries', pathname: '/deliveries', search: '', ids: ['DR-1'], offset: 0, total: 1, exact: true };
    const { user, address, router } = openDelivery('/view-delivery/DR-1', { state: toLocationState(origin) });
    await ready();
    expect(screen.getByRole('link', { name: 'Complete' })).toHaveAttribute(
      'href',
      '/edit-delivery/DR-1?outcome=delivered',
    );
    await user.click(screen.getByRole('button', { name: 'More actions' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Reject' }));
    await waitFor(() => expect(address()).toBe('/edit-delivery/DR-1?outcome=rejected'));
    expect(router.state.location.state).toEqual(toLocationState(origin));
  });
});

it('lists the versions of the form', async () => {
  openDelivery();
  await ready();
  const versions = panel('Delivery forms');
  expect(versions.getByRole('link', { name: 'Version 1' })).toHaveAttribute(
    'href',
    '/forms/DR-1?formVersion=1',
  );
});

describe('what an import left out', () => {
  it('is said, with the way to the import', async () => {
    stage.delivery = fullDelivery({ incompleteUploadLogId: 'u7', driverId: 'DRV-9', driver: null });
    openDelivery();
    await ready();
    expect(screen.getByText('Only part of this delivery was imported')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Show import' })).toHaveAttribute(
      'href',
      '/uploaded-details/u7',
    );
    expect(fact('Driver ID')).toHaveTextContent('DRV-9Unknown');
    await expectAccessible();
  });

  it('is not said of a whole one', async () => {
    stage.delivery = fullDelivery();
    openDelivery();
    await ready();
    expect(screen.queryByText('Only part of this delivery was imported')).not.toBeInTheDocument();
    expect(fact('Driver ID')).toHaveTextContent('Unassigned');
  });
});

it('shows a change made elsewhere', async () => {
  FakeSocket.install();
  stage.delivery = fullDelivery();
  openDelivery();
  await ready();
  await waitFor(() => expect(FakeSocket.last().open('deliveryChanged')).toHaveLength(1));
  expect(FakeSocket.last().open('deliveryChanged')[0]?.payload).toMatchObject({ variables: { ids: ['DR-1'] } });
  stage.delivery = completedDelivery({ version: 4 });
  act(() =>
    FakeSocket.last().push({ deliveryChanged: { __typename: 'DeliveryChange', id: 'DR-1' } }),
  );
  expect(await screen.findByRole('link', { name: 'Correct items' })).toBeInTheDocument();
});

it('pages through the list it came from', async () => {
  const origin = {
    list: 'deliveries',
    pathname: '/deliveries',
    search: '?sort=id',
    ids: ['DR-1', 'DR-2'],
    offset: 25,
    total: 71,
    exact: true,
  };
  const { user, address } = openDelivery('/view-delivery/DR-2', { state: toLocationState(origin) });
  expect(await screen.findByRole('link', { name: '27 of 71' })).toHaveAttribute(
    'href',
    '/deliveries?sort=id',
  );
  expect(screen.queryByRole('link', { name: 'Next delivery' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('link', { name: 'Previous delivery' }));
  await waitFor(() => expect(address()).toBe('/view-delivery/DR-1'));
  expect(await screen.findByRole('link', { name: 'Next delivery' })).toBeInTheDocument();
});

it('copies the document number', async () => {
  const { user } = openDelivery();
  await ready();
  const write = vi.spyOn(navigator.clipboard, 'writeText');
  await user.click(screen.getByRole('button', { name: 'Copy Delivery Doc' }));
  expect(write).toHaveBeenCalledWith('DR-1');
  expect(await screen.findByText('Delivery Doc copied')).toBeInTheDocument();
});

it('takes ids that an address would take apart', async () => {
  const id = 'DR 1/2 100%#?';
  stage.delivery = fullDelivery();
  openDelivery(`/view-delivery/${encodeURIComponent(id)}`);
  await ready(id);
  expect(sent('ViewDelivery')[0]?.variables).toEqual({ id });
  expect(screen.getByRole('link', { name: 'Complete' })).toHaveAttribute(
    'href',
    '/edit-delivery/DR%201%2F2%20100%25%23%3F?outcome=delivered',
  );
  expect(screen.getByRole('link', { name: '20' })).toHaveAttribute(
    'href',
    '/view-delivery-item/DR%201%2F2%20100%25%23%3F/20',
  );
});

it('says so when there is no such delivery', async () => {
  stage.delivery = null;
  openDelivery();
  await screen.findByRole('heading', { name: 'Delivery not found' });
  await expectAccessible();
});

it('says what failed and tries again', async () => {
  stage.failing = true;
  const { user } = openDelivery();
  await screen.findByRole('heading', { name: 'Something went wrong' });
  expect(screen.getByText('An error has occurred')).toBeInTheDocument();
  stage.failing = false;
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await ready();
});
