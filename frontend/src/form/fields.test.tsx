import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { Controller, useForm } from 'react-hook-form';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Lookup } from '@/list/resource';
import { expectAccessible } from '@/test/axe';
import { CheckboxField, RadioField } from './choice-fields';
import { SelectField, TextareaField } from './fields';
import { dateTimeRules } from './date-text';
import { DateTimeField } from './date-field';
import { Form, SubmitButton } from './form';
import { atMost } from './limits';
import { LookupField } from './lookup-field';
import { QuantityField, quantityRules } from './quantity';

vi.mock('urql', () => ({ useClient: () => 'client' }));

interface Values {
  reason: string;
  note: string;
  active: boolean;
  outcome: string;
  delivered: string;
  dispatch: string;
  customer: string;
  source: string;
  depot: string;
}

const empty: Values = {
  reason: '',
  note: '',
  active: false,
  outcome: '',
  delivered: '',
  dispatch: '',
  customer: '',
  source: '',
  depot: '',
};

const search = vi.fn<Lookup['search']>();
const lookup: Lookup = { limit: 2, search };

function Example({ values, send }: { values: Values; send: (values: Values) => void }) {
  const form = useForm<Values>({ defaultValues: values });
  const { register, control, formState } = form;
  const { errors } = formState;
  return (
    <Form form={form} label="Example" onSubmit={(sent) => Promise.resolve(send(sent))}>
      <SelectField
        {...register('reason', { required: true })}
        label="Reason"
        placeholder="Choose a reason"
        error={errors.reason}
      >
        <option value="late">Late</option>
      </SelectField>
      <TextareaField
        {...register('note', { validate: atMost(12) })}
        label="Note"
        hint="12 letters at most"
        error={errors.note}
        optional
      />
      <CheckboxField {...register('active')} label="Active" hint="Takes imports" isSwitch />
      <RadioField
        {...register('outcome', { required: true })}
        label="Outcome"
        error={errors.outcome}
        options={[
          { value: 'delivered', label: 'Delivered' },
          { value: 'rejected', label: 'Rejected' },
        ]}
      />
      <QuantityField
        {...register('delivered', quantityRules())}
        label="Amount"
        error={errors.delivered}
      />
      <Controller
        control={control}
        name="dispatch"
        rules={dateTimeRules()}
        render={({ field }) => (
          <DateTimeField {...field} label="Dispatch" error={errors.dispatch} />
        )}
      />
      <Controller
        control={control}
        name="customer"
        render={({ field }) => (
          <LookupField {...field} label="Customer" error={errors.customer} lookup={lookup} />
        )}
      />
      <Controller
        control={control}
        name="source"
        rules={{ required: true }}
        render={({ field }) => (
          <LookupField {...field} label="Source" error={errors.source} lookup={lookup} strict />
        )}
      />
      <Controller
        control={control}
        name="depot"
        render={({ field }) => (
          <LookupField {...field} label="Depot" error={errors.depot} lookup={lookup} strict optional />
        )}
      />
      <SubmitButton busy={false} label="Save" busyLabel="Saving..." />
    </Form>
  );
}

function open(values: Partial<Values> = {}) {
  const send = vi.fn<(values: Values) => void>();
  render(<Example values={{ ...empty, ...values }} send={send} />);
  const user = userEvent.setup();
  const save = () => user.click(screen.getByRole('button', { name: 'Save' }));
  return { user, send, save };
}

const filled: Partial<Values> = {
  reason: 'late',
  outcome: 'rejected',
  delivered: '4',
  dispatch: '2026-11-20T09:30',
  source: 's1',
};

beforeEach(() => {
  search.mockReset();
  search.mockResolvedValue([
    { label: 'Bayan Mart', value: 'b1' },
    { label: 'Luzon Grocer', value: 'l1' },
    { label: 'One too many', value: 'x' },
  ]);
});

describe('the fields of a form', () => {
  it('are named, described and sent with what is in them', async () => {
    const { user, send, save } = open(filled);
    await user.type(screen.getByLabelText(/^Note/), 'By the gate');
    await user.click(screen.getByRole('switch', { name: 'Active' }));
    expect(screen.getByRole('switch')).toHaveAccessibleDescription('Takes imports');
    await expectAccessible();
    await save();
    expect(send).toHaveBeenCalledExactlyOnceWith({
      ...empty,
      ...filled,
      note: 'By the gate',
      active: true,
    });
  });

  it('say what is missing, the first of them with the focus', async () => {
    const { send, save } = open();
    await save();
    expect(await screen.findByText('Reason is required')).toBeInTheDocument();
    for (const label of ['Outcome', 'Amount', 'Dispatch', 'Source']) {
      expect(screen.getByText(`${label} is required`)).toBeInTheDocument();
    }
    expect(screen.getByLabelText('Reason')).toHaveFocus();
    expect(screen.getByRole('group', { name: 'Outcome' })).toHaveAccessibleDescription(
      'Outcome is required',
    );
    expect(send).not.toHaveBeenCalled();
    await expectAccessible();
  });
});

describe('an amount', () => {
  it.each([
    ['-1', 'Amount is too low'],
    ['1000000001', 'Amount is too high'],
    ['1.2345', 'Amount is not formatted correctly'],
    ['1,5', 'Amount is not formatted correctly'],
    ['ten', 'Amount is not formatted correctly'],
  ])('of %s is refused', async (text, message) => {
    const { user, save } = open({ ...filled, delivered: '' });
    await user.type(screen.getByLabelText('Amount'), text);
    await save();
    expect(await screen.findByText(message)).toBeInTheDocument();
  });

  it('of three decimals is taken', async () => {
    const { user, send, save } = open({ ...filled, delivered: '' });
    await user.type(screen.getByLabelText('Amount'), '12.125');
    await save();
    expect(send.mock.lastCall?.[0].delivered).toBe('12.125');
  });
});

describe('a date and time', () => {
  const box = (name: string) => screen.getByRole('textbox', { name });

  it('moves on when a segment is full and pads what is short', async () => {
    const { user, send, save } = open({ ...filled, dispatch: '' });
    await user.click(box('Month'));
    await user.keyboard('11');
    expect(box('Day')).toHaveFocus();
    await user.keyboard('5/');
    expect(box('Day')).toHaveValue('05');
    await user.keyboard('2026');
    expect(screen.getByLabelText('Time')).toHaveFocus();
    fireEvent.change(screen.getByLabelText('Time'), { target: { value: '14:05' } });
    await save();
    expect(send.mock.lastCall?.[0].dispatch).toBe('2026-11-05T14:05');
  });

  it('pads what is short before Enter submits it', async () => {
    const { user, send } = open({ ...filled, dispatch: '2026-01-10T09:30' });
    await user.clear(box('Day'));
    await user.type(box('Day'), '5{Enter}');
    expect(send.mock.lastCall?.[0].dispatch).toBe('2026-01-05T09:30');
    expect(screen.queryByText('Inputted Date is Invalid')).not.toBeInTheDocument();
  });

  it('takes digits only, two, two and four of them', async () => {
    const { user } = open();
    await user.type(box('Month'), 'x1');
    await user.type(box('Year'), '20a264');
    expect(box('Month')).toHaveValue('01');
    expect(box('Year')).toHaveValue('2026');
  });

  it('pads a year to four digits', async () => {
    const { user } = open();
    await user.type(box('Year'), '26');
    await user.tab();
    expect(box('Year')).toHaveValue('0026');
  });

  it('goes back with Backspace from an empty segment', async () => {
    const { user } = open();
    await user.type(box('Month'), '11');
    await user.keyboard('{Backspace}');
    expect(box('Month')).toHaveFocus();
  });

  it.each([
    ['2026-02-30T10:00', 'a day that does not exist'],
    ['2026-02-T10:00', 'half a day'],
    ['2026-02-03T', 'no time'],
    ['T10:00', 'no day'],
  ])('of %s is invalid: %s', async (dispatch) => {
    const { save } = open({ ...filled, dispatch });
    await save();
    expect(await screen.findByText('Inputted Date is Invalid')).toBeInTheDocument();
    expect(box('Month')).toHaveFocus();
    expect(box('Day')).toHaveAccessibleDescription('Inputted Date is Invalid');
  });

  it.each(['2026-11-05', '11/5/2026'])('takes %s pasted', async (text) => {
    const { user } = open();
    await user.click(box('Day'));
    await user.paste(text);
    expect([box('Month'), box('Day'), box('Year')].map((each) => (each as HTMLInputElement).value))
      .toEqual(['11', '05', '2026']);
  });

  it('opens the picker of the browser', async () => {
    const showPicker = vi.fn<() => void>();
    HTMLInputElement.prototype.showPicker = showPicker;
    const { user } = open();
    await user.click(screen.getByRole('button', { name: 'Choose a date' }));
    expect(showPicker).toHaveBeenCalledOnce();
  });
});

it('keeps the hint beside the error', async () => {
  const { user, save } = open(filled);
  const note = screen.getByRole('textbox', { name: /^Note/ });
  expect(note).toHaveAccessibleDescription('12 letters at most');
  await user.type(note, 'Too long a note');
  await save();
  expect(await screen.findByText('Note is too long')).toBeInTheDocument();
  expect(note).toHaveAccessibleDescription('Note is too long 12 letters at most');
});

describe('a lookup', () => {
  const customer = () => screen.getByRole('combobox', { name: /^Customer/ });
  const source = () => screen.getByRole('combobox', { name: 'Source' });
  const depot = () => screen.getByRole('combobox', { name: /^Depot/ });
  const UNSETTLED = 'Choose one of the suggestions, or clear this field.';

  it('suggests after a pause, as many as it may, and takes what is typed', async () => {
    const { user, send, save } = open(filled);
    await user.type(customer(), 'bay');
    await screen.findByRole('option', { name: 'Bayan Mart' });
    expect(within(screen.getByRole('listbox')).getAllByRole('option')).toHaveLength(2);
    expect(search).toHaveBeenCalledExactlyOnceWith('client', 'bay', 2, expect.any(AbortSignal));
    await expectAccessible();
    await save();
    expect(send.mock.lastCall?.[0].customer).toBe('bay');
  });

  it('is chosen from by keys', async () => {
    const { user, send, save } = open(filled);
    await user.type(customer(), 'b');
    await screen.findByRole('option', { name: 'Bayan Mart' });
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowUp}{Enter}');
    expect(customer()).toHaveValue('b1');
    expect(send).not.toHaveBeenCalled();
    await save();
    expect(send.mock.lastCall?.[0].customer).toBe('b1');
  });

  it('keeps what was typed when it is left with a suggestion active, and does not wrap around', async () => {
    const { user } = open(filled);
    await user.type(customer(), 'b');
    await screen.findByRole('option', { name: 'Bayan Mart' });
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}');
    expect(screen.getByRole('option', { name: 'Luzon Grocer' })).toHaveAttribute('aria-selected', 'true');
    await user.keyboard('{ArrowUp}{ArrowUp}');
    expect(customer()).not.toHaveAttribute('aria-activedescendant');
    await user.keyboard('{ArrowDown}');
    await user.tab();
    expect(customer()).toHaveValue('b');
    expect(screen.queryByRole('listbox')).not.toBeInTheDocument();
  });

  it('keeps the active suggestion in sight, and says how many there are', async () => {
    const { user } = open(filled);
    const seen: string[] = [];
    vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function scrolled(this: Element) {
      seen.push(this.textContent ?? '');
    });
    await user.type(customer(), 'b');
    await screen.findByRole('option', { name: 'Bayan Mart' });
    const options = within(screen.getByRole('listbox')).getAllByRole('option');
    expect(await screen.findByText('2 suggestions')).toHaveAttribute('role', 'status');
    await user.keyboard('{ArrowDown}{End}');
    expect(seen).toEqual(options.map((option) => option.textContent));
    expect(customer()).toHaveAttribute('aria-activedescendant', options[1]?.id);
    await user.keyboard('{Home}');
    expect(customer()).toHaveAttribute('aria-activedescendant', options[0]?.id);
  });

  it('that is strict has the value of what was chosen, and none once it is typed over', async () => {
    const { user, send, save } = open({ ...filled, source: '' });
    await user.type(source(), 'luz');
    await user.click(await screen.findByRole('option', { name: 'Luzon Grocer' }));
    expect(source()).toHaveValue('Luzon Grocer');
    await save();
    expect(send.mock.lastCall?.[0].source).toBe('l1');
    await user.clear(source());
    await save();
    expect(await screen.findByText('Source is required')).toBeInTheDocument();
  });

  it('that is strict has the suggestion that was typed in full once it is left', async () => {
    const { user, send, save } = open({ ...filled, source: '' });
    await user.type(source(), 'luzon grocer');
    await user.tab();
    await waitFor(() => expect(source()).toHaveValue('Luzon Grocer'));
    await save();
    expect(send.mock.lastCall?.[0].source).toBe('l1');
  });

  it('that is strict keeps other text, says what to do, and the form is not sent before that', async () => {
    const { user, send, save } = open(filled);
    await user.type(depot(), 'luz');
    await screen.findByRole('option', { name: 'Luzon Grocer' });
    await save();
    expect(depot()).toHaveValue('luz');
    expect(depot()).toHaveFocus();
    expect(depot()).toHaveAccessibleDescription(UNSETTLED);
    await expectAccessible();
    expect(send).not.toHaveBeenCalled();
    await user.type(depot(), 'o');
    expect(depot()).not.toHaveAccessibleDescription();
    await user.clear(depot());
    await save();
    expect(send.mock.lastCall?.[0].depot).toBe('');
    await user.type(depot(), 'luz');
    await user.click(await screen.findByRole('option', { name: 'Luzon Grocer' }));
    await save();
    expect(send.mock.lastCall?.[0].depot).toBe('l1');
  });

  it('that is strict says what to do even before the suggestions arrive', async () => {
    search.mockReturnValue(new Promise(() => undefined));
    const { user, send, save } = open(filled);
    await user.type(depot(), 'luz');
    await save();
    expect(depot()).toHaveFocus();
    expect(depot()).toHaveAccessibleDescription(UNSETTLED);
    expect(send).not.toHaveBeenCalled();
  });

  it('that is strict is not submitted with Enter before something is chosen', async () => {
    const { user, send } = open({ ...filled, source: '' });
    await user.type(source(), 'luz{Escape}{Enter}');
    expect(send).not.toHaveBeenCalled();
    expect(screen.queryByText('Source is required')).not.toBeInTheDocument();
    await screen.findByRole('option', { name: 'Luzon Grocer' });
    await user.keyboard('{ArrowDown}{Enter}');
    expect(source()).toHaveValue('Bayan Mart');
    await user.keyboard('{Enter}');
    expect(send.mock.lastCall?.[0].source).toBe('b1');
  });

  it('that is strict keeps what was typed while only the window loses the focus', async () => {
    const { user } = open(filled);
    await user.type(source(), 'x');
    fireEvent.blur(source());
    expect(source()).toHaveValue('s1x');
  });

  it('that fails is empty', async () => {
    search.mockRejectedValue(new Error('down'));
    const { user } = open();
    await user.type(source(), 'luz');
    expect(await screen.findByText('Nothing found')).toBeInTheDocument();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByText('Nothing found')).not.toBeInTheDocument());
  });
});
