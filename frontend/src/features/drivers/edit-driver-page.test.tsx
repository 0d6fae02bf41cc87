import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { toLocationState } from '@/list/list-origin';
import { driver } from '@/test/drivers';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { badInput, changedMeanwhile, currentVersion } from '@/test/parties';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './edit-driver-page';
import './new-driver-page';
import './view-driver-page';

let server: FakeServer;
let found: Record<string, unknown>;
let answer: Answer;
let created: Answer;

beforeEach(() => {
  found = driver('DRV 14/B');
  answer = { data: { updateDriver: { __typename: 'Driver', driverId: 'DRV 14/B', version: 4 } } };
  created = {
    data: { createDriver: { __typename: 'Driver', driverId: 'DRV-99', name: 'Ana Cruz' } },
  };
  server = startFakeServer({
    user: { ...rosa, roles: ['dispatcher'] },
    operations: {
      ViewDriver: () => ({ data: { driver: found } }),
      UpdateDriver: () => answer,
      CreateDriver: () => created,
      DriverVersion: () => currentVersion('Driver', 5),
      TruckersLookup: () => ({ data: { getTruckerDrilldown: ['Amihan Haulers'] } }),
    },
  });
});

const box = (name: string | RegExp) => screen.getByLabelText(name);
const save = () => screen.getByRole('button', { name: 'Save' });
const sent = (operation: string) => server.calls.filter((call) => call.name === operation);

describe('editing a driver', () => {
  async function open() {
    const view = renderRoutes(declarations, '/drivers/DRV%2014%2FB/edit');
    await screen.findByRole('heading', { level: 2, name: 'Rico Santos' });
    return view;
  }

  it('keeps the way back to the list on which the driver was opened', async () => {
    const list = { list: 'drivers', pathname: '/drivers', search: '?offset=50' };
    const state = toLocationState({ ...list, ids: ['DRV 14/B'], offset: 50, total: 60, exact: true });
    const { user, address } = renderRoutes(declarations, { pathname: '/drivers/DRV%2014%2FB', state });
    const back = () => screen.getByRole('link', { name: 'Back to Drivers' });
    for (const verb of ['Cancel', 'Save']) {
      await user.click(await screen.findByRole('link', { name: 'Edit' }));
      await user.type(await screen.findByLabelText('Name'), 'a');
      expect(back()).toHaveAttribute('href', '/drivers?offset=50');
      await user.click(screen.getByText(verb));
      if (verb === 'Cancel') await user.click(await screen.findByRole('button', { name: 'Leave' }));
      await waitFor(() => expect(address()).toBe('/drivers/DRV%2014%2FB'));
      expect(back()).toHaveAttribute('href', '/drivers?offset=50');
    }
  });

  it('sends the whole form once, with the version that was read', async () => {
    const { user, address } = await open();
    expect(save()).toBeDisabled();
    expect(screen.queryByLabelText('Driver ID')).not.toBeInTheDocument();
    await user.clear(box('Name'));
    await user.type(box('Name'), ' Rico P. Santos ');
    await user.clear(box(/^Phone/));
    await user.clear(box(/^Trucker/));
    await user.type(box(/^Trucker/), 'ami');
    await user.click(await screen.findByRole('option', { name: 'Amihan Haulers' }));
    await expectAccessible();
    await user.dblClick(save());
    await waitFor(() => expect(address()).toBe('/drivers/DRV%2014%2FB'));
    expect(await screen.findByText('Rico P. Santos saved')).toBeInTheDocument();
    expect(sent('UpdateDriver').map(({ variables }) => variables)).toEqual([
      {
        input: {
          driverId: 'DRV 14/B',
          version: 3,
          name: 'Rico P. Santos',
          username: 'rsantos',
          phone: null,
          email: null,
          trucker: 'Amihan Haulers',
          vehiclePlate: 'NBC 1234',
          licenceNumber: 'N01-12-345678',
          licenceExpiry: '2028-03-31',
          language: 'fil',
          // The inputs drop seconds, but an unedited time is sent unchanged.
          trackingConsentAt: '2026-03-02T01:12:40Z',
        },
      },
    ]);
  });

  it('says what is wrong with a field', async () => {
    answer = badInput({ username: ['Username is taken'] });
    const { user } = await open();
    await user.clear(box('Name'));
    await user.type(box(/^Email/), 'nowhere');
    await user.type(within(screen.getByRole('group', { name: /^License expiry/ })).getByLabelText('Day'), '{Control>}a{/Control}32');
    await user.click(save());
    expect(box('Name')).toHaveAccessibleDescription(/^Name is required/);
    expect(box(/^Email/)).toHaveAccessibleDescription('Email is not formatted correctly');
    expect(screen.getAllByText('Inputted Date is Invalid').length).toBeGreaterThan(0);
    expect(sent('UpdateDriver')).toHaveLength(0);

    await user.type(box('Name'), 'Rico');
    await user.clear(box(/^Email/));
    await user.type(within(screen.getByRole('group', { name: /^License expiry/ })).getByLabelText('Day'), '{Control>}a{/Control}30');
    await user.click(save());
    await waitFor(() => expect(box('Username')).toHaveAccessibleDescription(/^Username is taken/));
    expect(box('Username')).toHaveFocus();
  });

  it('tells who was faster, and starts again from the driver as they are now', async () => {
    answer = changedMeanwhile('DRIVER_CHANGED');
    const { user } = await open();
    await user.type(box('Name'), '!');
    await user.click(save());
    await screen.findByText(/dennis changed this on Nov 20, 2026 3:01 PM/);
    found = driver('DRV 14/B', { name: 'Rico Reyes', version: 5 });
    await user.click(screen.getByRole('button', { name: 'Reload' }));
    await waitFor(() => expect(box('Name')).toHaveValue('Rico Reyes'));
    expect(save()).toBeDisabled();
  });

  it('asks before a change is lost', async () => {
    const { user, address } = await open();
    await user.type(box('Name'), '!');
    await user.click(screen.getByRole('link', { name: 'Cancel' }));
    await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
    await user.click(screen.getByRole('button', { name: 'Leave' }));
    await waitFor(() => expect(address()).toBe('/drivers/DRV%2014%2FB'));
  });
});

describe('a new driver', () => {
  async function openNew() {
    const view = renderRoutes(declarations, '/drivers/new');
    await screen.findByRole('heading', { level: 1, name: 'New driver' });
    await screen.findByLabelText('Driver ID');
    return view;
  }

  it('is made, and then told to need a PIN', async () => {
    const { user, address } = await openNew();
    await expectAccessible();
    await user.type(box('Driver ID'), 'DRV-99');
    await user.type(box('Name'), 'Ana Cruz');
    await user.type(box('Username'), 'acruz');
    await user.dblClick(screen.getByRole('button', { name: 'Create driver' }));
    await waitFor(() => expect(address()).toBe('/drivers/DRV-99'));
    expect(await screen.findByText('Driver Ana Cruz created')).toBeInTheDocument();
    expect(await screen.findByText('This driver has no PIN yet')).toBeInTheDocument();
    expect(sent('CreateDriver').map(({ variables }) => variables)).toEqual([
      {
        input: {
          driverId: 'DRV-99',
          name: 'Ana Cruz',
          username: 'acruz',
          phone: null,
          email: null,
          trucker: null,
          vehiclePlate: null,
          licenceNumber: null,
          licenceExpiry: null,
          language: null,
          trackingConsentAt: null,
        },
      },
    ]);
  });

  it('is not made without id, name and username, or with ones that are taken', async () => {
    created = badInput({ driverId: ['Driver ID is taken'] });
    const { user, address } = await openNew();
    await user.click(screen.getByRole('button', { name: 'Create driver' }));
    expect(box('Driver ID')).toHaveAccessibleDescription(/^Driver ID is required/);
    expect(box('Username')).toHaveAccessibleDescription(/^Username is required/);
    await user.type(box('Driver ID'), 'new');
    expect(box('Driver ID')).toHaveAccessibleDescription(/^Driver ID is not valid/);
    expect(sent('CreateDriver')).toHaveLength(0);
    await user.clear(box('Driver ID'));
    await user.type(box('Driver ID'), 'DRV-14');
    await user.type(box('Name'), 'Ana Cruz');
    await user.type(box('Username'), 'acruz{Enter}');
    await waitFor(() => expect(box('Driver ID')).toHaveAccessibleDescription(/^Driver ID is taken/));
    expect(address()).toBe('/drivers/new');
  });
});
