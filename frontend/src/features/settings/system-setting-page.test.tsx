import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { toLocationState } from '@/list/list-origin';
import { listOf } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { badInput, currentVersion } from '@/test/parties';
import { renderRoutes } from '@/test/render';
import { LOGO_ID, logoInformation, setting, settingChange, settingChanged } from '@/test/settings';
// Loaded up front, so that no test waits for a lazy import.
import './admin-system-setting-page';
import './admin-system-settings-page';
import './system-setting-page';
import './system-settings-page';

let server: FakeServer;
let found: Record<string, unknown> | null;
let answer: () => Answer | Promise<Answer>;

const saved = { data: { updateSettingValue: setting('s1', { version: 4 }) } };

beforeEach(() => {
  answer = () => saved;
});

async function open(
  shown: typeof found,
  { planner = false, state, heading }: { planner?: boolean; state?: object; heading?: string } = {},
) {
  found = shown;
  server = startFakeServer({
    user: { ...rosa, roles: [planner ? 'transport_planner' : 'admin'] },
    operations: {
      FindSystemSettingById: () => ({ data: { systemSetting: found } }),
      UpdateSettingValue: () => answer(),
      SettingVersion: () => currentVersion('SystemSetting', 5),
      SystemSettingsPage: () => listOf('systemSettings', [setting('s1')]),
      GetLogoInformation: () => logoInformation(null),
    },
  });
  const pathname = `${planner ? '' : '/admin/settings'}/system-settings/s1`;
  const view = renderRoutes(declarations, { pathname, ...(state && { state }) });
  const name = heading ?? (shown ? String(shown.name) : 'Setting not found');
  await screen.findByRole('heading', { level: 2, name });
  return view;
}

const number = (changes = {}) => setting('s1', changes);
const date = (changes = {}) =>
  setting('s1', { name: 'planning-freeze-date', type: 'date', value: '2026-10-31', min: null, max: null, ...changes });

const field = () => screen.getByLabelText('Edit Value');
const save = () => screen.getByRole('button', { name: /^Sav/ });
const sent = () =>
  server.calls.filter(({ name }) => name === 'UpdateSettingValue').map(({ variables }) => variables);
const toasts = (text: string) => screen.findByText(text);

describe('a setting', () => {
  it('has its name as heading and one Edit Value field', async () => {
    await open(number());
    expect(screen.getByRole('heading', { level: 1, name: /^System/ })).toBeInTheDocument();
    expect(screen.getAllByLabelText('Edit Value')).toEqual([field()]);
    expect(screen.queryAllByRole('textbox').length + screen.getAllByRole('spinbutton').length).toBe(1);
    expect(screen.getByText('How often a delivery is tried before it is given up.')).toBeVisible();
    expect(field()).toHaveAccessibleDescription('1 to 20');
    const facts = screen.getByRole('region', { name: 'Details' });
    expect(facts).toHaveTextContent('TypeNumber');
    expect(facts).toHaveTextContent('Saved value3');
    expect(facts).toHaveTextContent('UpdatedOct 30, 2026 5:12 PM');
    expect(facts).toHaveTextContent('Updated bydennis');
    await expectAccessible();
  });

  it('tells who changed it when, from what to what', async () => {
    await open(date({ history: [settingChange('2026-09-30', '2026-10-31')] }));
    const history = within(screen.getByRole('region', { name: 'Earlier values' }));
    expect(history.getByRole('listitem')).toHaveTextContent(
      'Sep 30, 2026 → Oct 31, 2026Oct 30, 2026 5:12 PM · dennis',
    );
  });

  it('says that nobody set it yet', async () => {
    await open(number({ isDefault: true, updatedAt: null, updatedBy: null }));
    const facts = screen.getByRole('region', { name: 'Details' });
    expect(facts).toHaveTextContent('Saved value3DefaultUpdatedNeverUpdated byNone');
    expect(screen.getByText('No changes yet.')).toBeInTheDocument();
  });

  it.each([{ planner: false }, { planner: true }])(
    'that is not there, or not for the reader, is not found: %j',
    async ({ planner }) => {
      await open(null, { planner });
      expect(screen.getByRole('link', { name: 'Show settings' })).toHaveAttribute(
        'href',
        planner ? '/system-settings' : '/admin/settings/system-settings',
      );
    },
  );

  it('that planners may only read is not found by them', async () => {
    await open(number({ plannerVisible: false }), { planner: true, heading: 'Setting not found' });
    expect(screen.queryByLabelText('Edit Value')).not.toBeInTheDocument();
    await expectAccessible();
  });

  it('asks before a change is lost', async () => {
    const { user, address } = await open(number());
    await user.type(field(), '1');
    await user.click(screen.getByRole('link', { name: 'Cancel' }));
    await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
    await user.click(screen.getByRole('button', { name: 'Leave' }));
    await waitFor(() => expect(address()).toBe('/admin/settings/system-settings'));
  });
});

describe('the field', () => {
  it('is a date entry of month, day and year segments and a native picker for type date', async () => {
    const { user } = await open(date());
    const group = within(screen.getByRole('group', { name: /^Edit Value/ }));
    const [month, day, year] = ['Month', 'Day', 'Year'].map((part) => group.getByLabelText(part));
    if (!month || !day || !year) throw new Error('no segments');
    expect([month, day, year].map((part) => (part as HTMLInputElement).value)).toEqual([
      '10',
      '31',
      '2026',
    ]);
    expect(document.querySelector('fieldset input[type="date"]')).toHaveValue('2026-10-31');
    expect(group.getByRole('button', { name: 'Choose a date' })).toBeInTheDocument();
    expect([month, day, year].map((part) => part.getAttribute('maxlength'))).toEqual([
      '2',
      '2',
      '4',
    ]);

    // Focus advances when a segment is full; short input is padded to 2, 2 and 4 digits.
    await user.clear(month);
    await user.type(month, '11');
    expect(day).toHaveFocus();
    await user.clear(day);
    await user.type(day, '3');
    await user.click(year);
    expect(day).toHaveValue('03');
    await user.clear(year);
    await user.type(year, '926');
    await user.tab();
    expect(year).toHaveValue('0926');
    await user.clear(year);
    await user.type(year, '2027');
    await expectAccessible();
    await user.click(save());
    await waitFor(() => expect(sent()).toEqual([{ input: { id: 's1', value: '2027-11-03', version: 3 } }]));
  });

  it('is a datetime-local input for type dateTime', async () => {
    const { user } = await open(
      number({
        name: 'Paused until',
        type: 'dateTime',
        value: '2026-10-31T17:05',
        min: '2000-01-01T00:00',
        max: null,
      }),
    );
    expect(field()).toHaveAttribute('type', 'datetime-local');
    expect(field()).toHaveValue('2026-10-31T17:05');
    expect(field()).toHaveAccessibleDescription(
      /^Time zone: Asia\/Manila\. Jan 1, 2000 12:00 AM or later/,
    );
    await expectAccessible();
    await user.clear(field());
    await user.type(field(), '2026-11-30T06:00');
    await user.click(save());
    await waitFor(() => expect(sent()[0]).toMatchObject({ input: { value: '2026-11-30T06:00' } }));
  });

  it.each([
    ['number', '3'],
    ['time', '06:30'],
    ['email', 'office@hlg.example'],
    ['url', 'https://hlg.example'],
    ['text', 'Habagat'],
  ])('is otherwise an input of the type of the setting: %s', async (type, value) => {
    await open(number({ type, value }));
    expect(field()).toHaveAttribute('type', type);
    expect((field() as HTMLInputElement).value).toBe(value);
  });

  it('is empty for a password, whose value is not known', async () => {
    const { user } = await open(
      number({ type: 'password', value: '', isSecret: true, min: null, max: null }),
    );
    expect(field()).toHaveAttribute('type', 'password');
    expect(screen.getByRole('region', { name: 'Details' })).toHaveTextContent('Saved valueHidden');
    await user.type(field(), ' s3cret ');
    await user.click(save());
    await waitFor(() => expect(sent()[0]).toMatchObject({ input: { value: ' s3cret ' } }));
  });

  it('is a switch for yes or no, and sent as a string', async () => {
    const { user } = await open(number({ type: 'boolean', value: 'false', min: null, max: null }));
    const box = screen.getByRole('switch', { name: 'Edit Value' });
    expect(box).not.toBeChecked();
    expect(box).toHaveAccessibleDescription('No');
    await user.click(box);
    expect(box).toHaveAccessibleDescription('Yes');
    await expectAccessible();
    await user.click(save());
    await waitFor(() => expect(sent()).toEqual([{ input: { id: 's1', value: 'true', version: 3 } }]));
  });

  it('offers the only values there are', async () => {
    const options = ['mdy', 'dmy'];
    const { user } = await open(
      number({ type: 'text', value: 'mdy', options, min: null, max: null }),
    );
    expect(within(field()).getAllByRole('option').map((option) => option.textContent)).toEqual([
      'Month, day, year',
      'Day, month, year',
    ]);
    await user.selectOptions(field(), 'dmy');
    await user.click(save());
    await waitFor(() => expect(sent()[0]).toMatchObject({ input: { value: 'dmy' } }));
  });

  it('suggests values where there are many, and takes no other', async () => {
    const options = Array.from({ length: 40 }, (_, index) => `Zone/${index}`);
    const { user } = await open(
      number({ type: 'text', value: 'Zone/1', options, min: null, max: null }),
    );
    expect(document.querySelectorAll('datalist option')).toHaveLength(40);
    await user.type(field(), '!');
    await user.click(save());
    expect(field()).toHaveAccessibleDescription('Value is not valid');
    expect(sent()).toEqual([]);
  });
});

describe('Save', () => {
  it('is disabled until the form is changed, and again when it is changed back', async () => {
    const { user } = await open(number());
    expect(save()).toBeDisabled();
    await user.type(field(), '0');
    expect(save()).toBeEnabled();
    expect(screen.getByText('Unsaved changes')).toBeInTheDocument();
    await user.type(field(), '{Backspace}');
    expect(save()).toBeDisabled();
  });

  it('says that it is saving, sends the value as a string, and goes to the list', async () => {
    let finish: (answer: Answer) => void = () => undefined;
    answer = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const { user, address } = await open(number());
    await user.clear(field());
    await user.type(field(), '5');
    await user.dblClick(save());
    expect(save()).toHaveTextContent('Saving...');
    expect(save()).toHaveAttribute('aria-disabled', 'true');
    finish(saved);
    await toasts('Update Completed!');
    await waitFor(() => expect(address()).toBe('/admin/settings/system-settings'));
    expect(sent()).toEqual([{ input: { id: 's1', value: '5', version: 3 } }]);
  });

  it('of a planner goes to the list one came from, as it was', async () => {
    const origin = { list: 'system-settings', pathname: '/system-settings', search: '?limit=50', ids: ['s1'], offset: 0, total: 1, exact: true };
    const { user, address } = await open(number(), { planner: true, state: toLocationState(origin) });
    await user.type(field(), '{Backspace}5{Enter}');
    await toasts('Update Completed!');
    await waitFor(() => expect(address()).toBe('/system-settings?limit=50'));
  });

  it('is refused without a value: Value is required', async () => {
    const { user } = await open(number());
    await user.clear(field());
    await user.click(save());
    expect(field()).toHaveAccessibleDescription(/^Value is required/);
    expect(field()).toHaveFocus();
    expect(sent()).toEqual([]);
  });

  it('is refused without a date: Value is required', async () => {
    const { user } = await open(date());
    for (const part of ['Month', 'Day', 'Year']) await user.clear(screen.getByLabelText(part));
    await user.click(save());
    expect(await screen.findByText('Value is required')).toBeInTheDocument();
    expect(sent()).toEqual([]);
  });

  it('is refused with a date that is none: Inputted Date is Invalid', async () => {
    const { user } = await open(date());
    const month = screen.getByLabelText('Month');
    await user.clear(month);
    await user.type(month, '02');
    await user.click(save());
    expect(month).toHaveAccessibleDescription(/^Inputted Date is Invalid/);
    expect(month).toHaveFocus();
    expect(sent()).toEqual([]);
    await expectAccessible();
  });

  it.each([
    ['0', 'Value is too low'],
    ['21', 'Value is too high'],
  ])('is refused beyond the bounds: %s %s', async (value, message) => {
    const { user } = await open(number());
    await user.clear(field());
    await user.type(field(), value);
    await user.click(save());
    expect(field()).toHaveAccessibleDescription(`${message} 1 to 20`);
    expect(sent()).toEqual([]);
  });

  it('that fails tells the original message of the server in a toast', async () => {
    answer = () => ({ errors: [{ message: 'The settings are away for a moment.' }] });
    const { user, address } = await open(number());
    await user.type(field(), '{Backspace}5');
    await user.click(save());
    const messages = await screen.findAllByText('The settings are away for a moment.');
    expect(messages.filter((text) => text.closest('form') === null)).toHaveLength(1);
    expect(messages.filter((text) => text.closest('form') !== null)).toHaveLength(1);
    expect(address()).toContain('/s1');
    expect(field()).toHaveValue(5);
    expect(save()).toBeEnabled();
  });

  it('shows at the field what the server says of the value', async () => {
    answer = () => badInput({ value: ['Stale must be later than online.'] });
    const { user } = await open(number());
    await user.type(field(), '{Backspace}7');
    await user.click(save());
    await waitFor(() =>
      expect(field()).toHaveAccessibleDescription(/^Stale must be later than online\./),
    );
    expect(screen.getByText('Errors prevented this form from being saved')).toBeInTheDocument();
  });

  it('tells who was faster, and starts again from the setting as it is now', async () => {
    answer = () => settingChanged;
    const { user } = await open(number());
    await user.type(field(), '{Backspace}9');
    await user.click(save());
    await screen.findByText(/dennis changed this on Nov 20, 2026 3:01 PM/);
    found = number({ value: '7', version: 5 });
    await user.click(screen.getByRole('button', { name: 'Reload' }));
    await waitFor(() => expect(field()).toHaveValue(7));
    expect(save()).toBeDisabled();
    answer = () => saved;
    await user.type(field(), '{Backspace}9');
    await user.click(save());
    await toasts('Update Completed!');
    expect(sent().at(-1)).toEqual({ input: { id: 's1', value: '9', version: 5 } });
  });
});

it('leads on to the logo from the address of its setting', async () => {
  server = startFakeServer({ user: rosa });
  const { address } = renderRoutes(declarations, `/admin/settings/system-settings/${LOGO_ID}`);
  await waitFor(() => expect(address()).toBe('/admin/settings/edit-logo'));
});
