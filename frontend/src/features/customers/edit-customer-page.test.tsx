import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { enter } from '@/test/enter';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { badInput, changedMeanwhile, currentVersion, customer } from '@/test/parties';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './edit-customer-page';
import './view-customer-page';

const NAME = 'A/B 100%';

let server: FakeServer;
let found: Record<string, unknown>;
let answer: Answer;
let geocoder: () => Response | Promise<Response>;
let known: string[];
/** Answers an update in place of `answer`. */
let lost: (() => Answer | Promise<Answer>) | undefined;
/** Who saved the current version. */
let updatedBy: string;

beforeEach(() => {
  found = customer(NAME);
  known = ['3 Ayala Avenue, Makati City'];
  lost = undefined;
  updatedBy = 'dennis';
  answer = {
    data: { updateCustomer: { __typename: 'Customer', customerName: NAME, version: 4 } },
  };
  geocoder = () =>
    Response.json([
      { address: '1 Ayala Avenue, Makati City', point: { lat: 14.5547, lng: 121.0244 } },
      { address: '2 Ayala Avenue, Makati City', point: { lat: 'north', lng: 0 } },
      'not an address',
    ]);
  server = startFakeServer({
    user: { ...rosa, roles: ['dispatcher'] },
    operations: {
      ViewCustomer: () => ({ data: { customer: found } }),
      UpdateCustomer: () => lost?.() ?? answer,
      CustomerVersion: () => currentVersion('Customer', 5, updatedBy),
      CustomerOpenDeliveries: () => ({
        data: { deliveries: [], deliveriesCount: { __typename: 'Count', total: 0, exact: true } },
      }),
      AddressesLookup: () => ({
        data: {
          addresses: known.map((address) => ({ __typename: 'Address', address, point: null })),
        },
      }),
    },
    paths: { '/geocode': () => geocoder() },
  });
});

async function open() {
  const view = renderRoutes(declarations, '/edit-customer/A%2FB%20100%25');
  await screen.findByRole('heading', { level: 2, name: NAME });
  return view;
}

/** Waits until answers that were given have been read. */
const settled = () => act(() => new Promise((resolve) => setTimeout(resolve)));

const email = () => screen.getByLabelText(/^Customer Email/);
const address = () => screen.getByRole('combobox', { name: /^Customer Address/ });
const save = () => screen.getByRole('button', { name: 'Save' });
const sent = () => server.calls.filter(({ name }) => name === 'UpdateCustomer');
const input = () => sent()[0]?.variables.input as Record<string, unknown>;

it('is filled with what is known, and saves nothing before a change', async () => {
  await open();
  expect(email()).toHaveValue('receiving@bayanmart.example');
  expect(address()).toHaveValue('6780 Ayala Avenue, Makati City');
  expect(address()).toHaveAccessibleDescription('Location on the map: 14.55900, 121.02000');
  expect(screen.getByLabelText(/^Phone/)).toHaveValue('+63 2 8555 0147');
  expect(screen.getByRole('radio', { name: 'Use source or system setting' })).toBeChecked();
  expect(save()).toBeDisabled();
  await expectAccessible();
});

it('sends the whole form once, and goes back to the customer', async () => {
  const { user, address: at } = await open();
  await user.clear(email());
  await user.type(email(), ' store@bayanmart.example ');
  await user.clear(screen.getByLabelText(/^Code/));
  await user.dblClick(save());
  await waitFor(() => expect(at()).toBe('/customer/A%2FB%20100%25'));
  expect(await screen.findByText('A/B 100% saved')).toBeInTheDocument();
  expect(sent()).toHaveLength(1);
  expect(input()).toEqual({
    customerName: NAME,
    version: 3,
    customerEmail: 'store@bayanmart.example',
    customerAddress: '6780 Ayala Avenue, Makati City',
    addressPoint: { lat: 14.559, lng: 121.02, accuracy: null },
    code: null,
    phone: '+63 2 8555 0147',
    podRequirement: null,
  });
});

describe('the address', () => {
  it('comes with its place when one that the geocoder found is chosen', async () => {
    const { user } = await open();
    await user.clear(address());
    await user.type(address(), 'ayala');
    const list = await screen.findByRole('listbox');
    await waitFor(() => expect(within(list).getAllByRole('option')).toHaveLength(3));
    expect(server.calls.find(({ name }) => name === '/geocode')?.variables).toEqual({
      address: 'ayala',
    });
    await user.click(screen.getByRole('option', { name: '1 Ayala Avenue, Makati City' }));
    expect(address()).toHaveAccessibleDescription('Location on the map: 14.55470, 121.02440');
    await user.click(save());
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(input()).toMatchObject({
      customerAddress: '1 Ayala Avenue, Makati City',
      addressPoint: { lat: 14.5547, lng: 121.0244, accuracy: null },
    });
  });

  it('comes with its place even when an earlier search ends after the one it was found by', async () => {
    const searches: ((found: unknown[]) => void)[] = [];
    geocoder = () => new Promise((resolve) => searches.push((list) => resolve(Response.json(list))));
    const { user } = await open();
    await user.clear(address());
    await user.type(address(), 'ayala');
    await waitFor(() => expect(searches).toHaveLength(1));
    await user.type(address(), ' avenue');
    await waitFor(() => expect(searches).toHaveLength(2));
    searches[1]?.([{ address: '1 Ayala Avenue, Makati City', point: { lat: 14.5547, lng: 121.0244 } }]);
    const option = await screen.findByRole('option', { name: '1 Ayala Avenue, Makati City' });
    searches[0]?.([]);
    await settled();
    await user.click(option);
    expect(address()).toHaveAccessibleDescription('Location on the map: 14.55470, 121.02440');
  });

  it('loses its place when it is typed on, and has it back when it is what was saved', async () => {
    const { user } = await open();
    await user.type(address(), 'x');
    expect(address()).toHaveAccessibleDescription(/choose it from the suggestions/);
    await user.type(address(), '{Backspace}');
    expect(address()).toHaveAccessibleDescription('Location on the map: 14.55900, 121.02000');
    await user.type(address(), ' 2');
    await user.click(save());
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(input()).toMatchObject({
      customerAddress: '6780 Ayala Avenue, Makati City 2',
      addressPoint: null,
    });
  });

  it('offers what is known while the geocoder fails', async () => {
    geocoder = () => Response.json({ ok: false, error: 'Busy' }, { status: 503 });
    const { user } = await open();
    await user.clear(address());
    await user.type(address(), 'ayala');
    const options = await screen.findAllByRole('option');
    expect(options.map((option) => option.textContent)).toEqual(['3 Ayala Avenue, Makati City']);
  });

  it('has ten suggestions at most, known ones first', async () => {
    known = Array.from({ length: 10 }, (_, index) => `${index + 3} Ayala Avenue, Makati City`);
    const { user } = await open();
    await user.clear(address());
    await user.type(address(), 'ayala');
    const options = await screen.findAllByRole('option');
    expect(options.map((option) => option.textContent)).toEqual(known);
    const { variables } = server.calls.find(({ name }) => name === 'AddressesLookup') ?? {};
    expect(variables).toMatchObject({
      page: { where: [{ key: 'address', operator: 'contains', values: ['ayala'] }], limit: 10 },
    });
  });
});

describe('the required proof', () => {
  it('is a set of its own', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('radio', { name: 'Custom' }));
    await user.click(screen.getByRole('checkbox', { name: 'Note' }));
    await user.click(screen.getByRole('checkbox', { name: 'Signature' }));
    await expectAccessible();
    await user.click(save());
    await waitFor(() => expect(input()?.podRequirement).toEqual(['signature', 'note']));
  });

  it('is not an empty set of its own', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('radio', { name: 'Custom' }));
    await user.click(save());
    expect(
      await screen.findAllByText('Choose at least one type of proof, or choose Nothing'),
    ).not.toHaveLength(0);
    expect(sent()).toHaveLength(0);
  });

  it('is nothing', async () => {
    found = customer(NAME, { podRequirement: ['photo'] });
    const { user } = await open();
    expect(screen.getByRole('checkbox', { name: 'Photo' })).toBeChecked();
    await user.click(screen.getByRole('radio', { name: 'Nothing' }));
    await user.click(save());
    await waitFor(() => expect(input()?.podRequirement).toEqual([]));
  });
});

it('says what is wrong with a field, by its rule and by the server', async () => {
  answer = badInput({ customerAddress: ['Customer Address is too long'] });
  const { user } = await open();
  await user.clear(email());
  await user.type(email(), 'nobody');
  await user.click(save());
  expect(email()).toHaveAccessibleDescription('Customer Email is not formatted correctly');
  expect(sent()).toHaveLength(0);

  await user.clear(email());
  await user.click(save());
  await waitFor(() =>
    expect(address()).toHaveAccessibleDescription(/^Customer Address is too long/),
  );
  expect(screen.getByText('Errors prevented this form from being saved')).toBeInTheDocument();
});

it('counts characters as the server does, and cuts nothing that is pasted', async () => {
  const { user } = await open();
  const code = screen.getByLabelText(/^Code/);
  const long = `${'x'.repeat(500)}!`;
  await enter(user, address(), long);
  await enter(user, code, '🚚'.repeat(65));
  await user.click(save());
  expect(address()).toHaveValue(long);
  expect(address()).toHaveAccessibleDescription(/^Customer Address is too long/);
  expect(code).toHaveAccessibleDescription(/^Code is too long/);
  expect(sent()).toHaveLength(0);

  await enter(user, address(), '🚚'.repeat(500));
  await enter(user, code, ` ${'🚚'.repeat(64)} `);
  await user.click(save());
  await waitFor(() => expect(input()).toMatchObject({ customerAddress: '🚚'.repeat(500), code: '🚚'.repeat(64) }));
});

it('tells who was faster, and starts again from the customer as it is now', async () => {
  answer = changedMeanwhile('CUSTOMER_CHANGED');
  const { user } = await open();
  await user.clear(email());
  await user.click(save());
  await screen.findByText(/dennis changed this on Nov 20, 2026 3:01 PM/);
  found = customer(NAME, { customerEmail: 'new@bayanmart.example', version: 5 });
  await user.click(screen.getByRole('button', { name: 'Reload' }));
  await waitFor(() => expect(email()).toHaveValue('new@bayanmart.example'));
  expect(save()).toBeDisabled();
  answer = {
    data: { updateCustomer: { __typename: 'Customer', customerName: NAME, version: 6 } },
  };
  await user.clear(email());
  await user.click(save());
  await waitFor(() => expect(sent()).toHaveLength(2));
  expect(sent()[1]?.variables.input).toMatchObject({ version: 5, customerEmail: null });
});

it.each([
  ['has no answer', () => Promise.reject(new TypeError('lost')), 'An error has occurred'],
  [
    'is answered with an error that leaves it open',
    () => ({
      errors: [{ message: 'No answer arrived in time.', extensions: { code: 'UNAVAILABLE', reason: 'ANSWER_LOST' } }],
    }),
    'No answer arrived in time.',
  ],
])('recognizes a change of its own that %s', async (_, lose, text) => {
  const { user } = await open();
  updatedBy = 'rosa';
  lost = lose;
  await user.clear(email());
  await user.click(save());
  await screen.findByText(text);
  lost = undefined;
  answer = changedMeanwhile('CUSTOMER_CHANGED');
  await user.click(save());
  await screen.findByText('You changed this on Nov 20, 2026 3:01 PM, possibly with your earlier attempt.');
  expect(screen.queryByText(/rosa changed this on/)).not.toBeInTheDocument();
});

it('names the user for a change made in another tab', async () => {
  const { user } = await open();
  updatedBy = 'rosa';
  answer = changedMeanwhile('CUSTOMER_CHANGED');
  await user.clear(email());
  await user.click(save());
  expect(await screen.findByText(/^rosa changed this on/)).toBeInTheDocument();
});

it('asks before a change is lost', async () => {
  const { user, address: at } = await open();
  await user.clear(email());
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
  await user.click(screen.getByRole('button', { name: 'Leave' }));
  await waitFor(() => expect(at()).toBe('/customer/A%2FB%20100%25'));
});
