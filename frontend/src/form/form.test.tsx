import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { createMemoryRouter, Link, RouterProvider, useNavigate } from 'react-router';
import { describe, expect, it, vi } from 'vitest';
import type { AppError } from '@/data/errors';
import { Form, FormFields, FormSummary, SubmitButton } from './form';
import { PageForm } from './page-form';
import { ruleMessage, ruleMessages } from './rule-message';
import { useLeave } from './use-leave';
import { showFieldErrors, useEditBase } from './use-save';
import { TextField } from './fields';

interface Values {
  name: string;
  town: string;
}

type Send = (values: Values) => Promise<AppError | undefined>;

function Example({ send }: { send: Send }) {
  const form = useForm<Values>({ defaultValues: { name: '', town: '' } });
  const [failure, setFailure] = useState<AppError>();
  const { errors, isSubmitting } = form.formState;

  async function submit(values: Values) {
    setFailure(undefined);
    const failed = await send(values);
    if (!failed) return;
    setFailure(failed);
    showFieldErrors(failed, ['name', 'town'], form.setError);
  }

  return (
    <Form form={form} label="Example" onSubmit={submit}>
      <FormSummary
        failure={failure}
        messages={ruleMessages({ name: 'Name' }, errors)}
        setFocus={form.setFocus}
      />
      <TextField {...form.register('name', { required: true })} label="Name" error={errors.name} />
      <TextField {...form.register('town')} label="Town" error={errors.town} optional />
      <SubmitButton busy={isSubmitting} label="Save" busyLabel="Saving..." />
    </Form>
  );
}

function open(answer?: AppError) {
  let finish: () => void = () => undefined;
  const send = vi.fn<Send>(() => new Promise((resolve) => (finish = () => resolve(answer))));
  render(<Example send={send} />);
  const form = screen.getByRole('form', { name: 'Example' });
  return { user: userEvent.setup(), form, send, finish: () => finish() };
}

const name = () => screen.getByLabelText('Name');

describe('a form', () => {
  it('is sent once, however often it is submitted before the answer', async () => {
    const { user, form, send, finish } = open();
    await user.type(name(), 'rosa');
    fireEvent.submit(form);
    fireEvent.submit(form);
    const busy = await screen.findByRole('button', { name: 'Saving...' });
    await user.click(busy);
    await user.type(name(), '{Enter}');
    expect(send).toHaveBeenCalledTimes(1);
    finish();
    await user.click(await screen.findByRole('button', { name: 'Save' }));
    await waitFor(() => expect(send).toHaveBeenCalledTimes(2));
  });

  it('keeps the focus on the button that was pressed', async () => {
    const { user, finish } = open();
    await user.type(name(), 'rosa');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByRole('button', { name: 'Saving...' })).toHaveFocus();
    finish();
    expect(await screen.findByRole('button', { name: 'Save' })).toHaveFocus();
  });

  it('is not sent while a rule is broken; the first wrong field has the focus', async () => {
    const { user, send } = open();
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('Name is required', { selector: 'p' })).toBeInTheDocument();
    expect(name()).toHaveFocus();
    expect(name()).toHaveAttribute('aria-invalid', 'true');
    expect(send).not.toHaveBeenCalled();
  });
});

describe('what the server refuses', () => {
  const base = { kind: 'input', message: '', detail: 'Bad input' } as const;

  it('stands under its field and above the form; the field has the focus', async () => {
    const { user, finish } = open({ ...base, fields: { town: ['Town is unknown', 'Town is far'] } });
    await user.type(name(), 'rosa{Enter}');
    finish();
    await waitFor(() => expect(screen.getByLabelText(/^Town/)).toHaveFocus());
    expect(screen.getByLabelText(/^Town/)).toHaveAccessibleDescription('Town is unknown Town is far');
    const summary = screen.getByRole('alert');
    expect(summary).toHaveTextContent('Something went wrong');
    expect(summary).toHaveTextContent('Errors prevented this form from being saved');
    expect(summary).toHaveTextContent('Town is unknown');
  });

  it('stands above the form, with the focus, when it is about no field of it', async () => {
    const { user, finish } = open({ ...base, fields: { other: ['Other is wrong'] } });
    await user.type(name(), 'rosa{Enter}');
    finish();
    const summary = await screen.findByRole('alert');
    await waitFor(() => expect(summary).toHaveFocus());
    expect(summary).toHaveTextContent('Other is wrong');
  });

  it('leads from a message above the form to its field', async () => {
    const { user, finish } = open({ ...base, fields: { name: ['Name is taken'], town: ['Town is far'] } });
    await user.type(name(), 'rosa{Enter}');
    finish();
    await user.click(await screen.findByRole('button', { name: 'Town is far' }));
    expect(screen.getByLabelText(/^Town/)).toHaveFocus();
    await user.click(screen.getByRole('button', { name: 'Name is taken' }));
    expect(name()).toHaveFocus();
  });

  it('says that nothing is lost when the server did not answer, and sends again', async () => {
    const { user, send, finish } = open({ kind: 'network', message: 'An error has occurred', fields: {} });
    await user.type(name(), 'rosa{Enter}');
    finish();
    const summary = await screen.findByRole('alert');
    expect(summary).toHaveTextContent('An error has occurred');
    expect(summary).toHaveTextContent("The server didn't respond, so it isn't known whether this was saved.");
    expect(summary).toHaveTextContent('What you typed is still here. Check before you save again.');
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(send).toHaveBeenCalledTimes(2));
    expect(send).toHaveBeenLastCalledWith({ name: 'rosa', town: '' });
  });

  it('is the message of the server when it is no bad input', async () => {
    const { user, finish } = open({ kind: 'server', message: 'Too busy', fields: {} });
    await user.type(name(), 'rosa{Enter}');
    finish();
    const summary = await screen.findByRole('alert');
    expect(summary).toHaveTextContent(/^Too busy$/);
    expect(summary).toHaveClass('text-bad');
  });

  it('looks different when waiting is all it takes', async () => {
    const { user, finish } = open({
      kind: 'server',
      message: 'Too many attempts.',
      code: 'RATE_LIMITED',
      fields: {},
    });
    await user.type(name(), 'rosa{Enter}');
    finish();
    expect(await screen.findByRole('alert')).toHaveClass('text-warn');
  });
});

it.each([
  ['required', 'Name is required'],
  ['pattern', 'Name is not formatted correctly'],
  ['minLength', 'Name is too short'],
  ['maxLength', 'Name is too long'],
  ['min', 'Name is too low'],
  ['max', 'Name is too high'],
  ['validate', 'Name is not valid'],
] as const)('says for the rule %s: %s', (type, text) => {
  expect(ruleMessage('Name', { type })).toBe(text);
});

describe('leaving a form while it is being saved', () => {
  const refused: AppError = { kind: 'server', message: 'Too busy', fields: {} };

  function Page({ send }: { send: Send }) {
    const form = useForm<Values>({ defaultValues: { name: '', town: '' } });
    const [failure, setFailure] = useState<AppError>();
    const navigate = useNavigate();
    const { exit, leave } = useLeave();

    async function submit(values: Values) {
      const failed = await send(values);
      if (failed) setFailure(failed);
      else await leave(() => navigate('/saved'));
    }

    return (
      <>
        <Link to="/elsewhere">Elsewhere</Link>
        <PageForm
          form={form}
          labels={{ name: 'Name' }}
          failure={failure}
          exit={exit}
          onSubmit={submit}
          cancelTo="/"
          className=""
        >
          <TextField {...form.register('name')} label="Name" error={undefined} />
        </PageForm>
      </>
    );
  }

  async function saving() {
    let finish: (answer?: AppError) => void = () => undefined;
    let load: () => void = () => undefined;
    const send: Send = () => new Promise((resolve) => (finish = resolve));
    const heading = (title: string) => ({ element: <h1>{title}</h1> });
    const router = createMemoryRouter([
      { path: '/', element: <Page send={send} /> },
      { path: '/saved', ...heading('Saved') },
      { path: '/elsewhere', ...heading('Elsewhere'), loader: () => new Promise((resolve) => (load = () => resolve(null))) },
    ]);
    render(<RouterProvider router={router} />);
    const user = userEvent.setup();
    await user.type(name(), 'rosa{Enter}');
    await screen.findByRole('button', { name: 'Saving...' });
    return {
      user,
      finish: (answer?: AppError) => act(async () => finish(answer)),
      load: () => act(async () => load()),
      leave: () => user.click(screen.getByRole('link', { name: 'Elsewhere' })),
      answer: async (choice: string) => user.click(await screen.findByRole('button', { name: choice })),
      isLoading: () => waitFor(() => expect(router.state.navigation.state).toBe('loading')),
    };
  }

  const heading = (title: string) => screen.findByRole('heading', { name: title });
  const noQuestion = () => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();

  it('is not asked about once it is saved', async () => {
    const { finish } = await saving();
    await finish();
    expect(await heading('Saved')).toBeInTheDocument();
    noQuestion();
  });

  it('is asked about, and a refusal is shown to who stays', async () => {
    const { leave, answer, finish } = await saving();
    await leave();
    await answer('Stay');
    await finish(refused);
    expect(await screen.findByRole('alert')).toHaveTextContent('Too busy');
    await leave();
    expect(await screen.findByRole('alertdialog', { name: 'Leave without saving?' })).toBeInTheDocument();
  });

  it('leads where the user wanted to go when the form is saved while the question is open', async () => {
    const { leave, finish, load, isLoading } = await saving();
    await leave();
    await screen.findByRole('alertdialog');
    await finish();
    await isLoading();
    await load();
    expect(await heading('Elsewhere')).toBeInTheDocument();
    noQuestion();
  });

  it.each(['has loaded', 'still loads'])('leaves the user on the page that was chosen, which %s', async (state) => {
    const { leave, answer, finish, load, isLoading } = await saving();
    await leave();
    await answer('Leave');
    await isLoading();
    if (state === 'has loaded') await load();
    await finish();
    await load();
    await heading('Elsewhere');
    expect(screen.queryByRole('heading', { name: 'Saved' })).not.toBeInTheDocument();
  });

  it('keeps its fields from being edited meanwhile, but not Cancel', async () => {
    const { finish } = await saving();
    const form = name().closest('form');
    await waitFor(() => expect(name().closest('[inert]')).not.toBeNull());
    expect(screen.getByRole('link', { name: 'Cancel' }).closest('[inert]')).toBeNull();
    expect(form).toHaveAttribute('aria-busy', 'true');
    // A browser takes the focus from an inert field.
    expect(form).toHaveFocus();
    await finish(refused);
    await waitFor(() => expect(screen.getByRole('alert')).toHaveFocus());
    expect(name().closest('[inert]')).toBeNull();
    expect(form).toHaveAttribute('aria-busy', 'false');
  });
});

describe('a form with locked fields that stays open', () => {
  async function send(error?: string) {
    let finish: () => void = () => undefined;
    function Locked() {
      const form = useForm<Values>({ defaultValues: { name: 'rosa', town: 'Cebu' } });
      const { errors } = form.formState;
      const submit = () =>
        new Promise<void>((resolve) => {
          finish = () => {
            if (error) form.setError('town', { type: 'server', message: error });
            resolve();
          };
        });
      return (
        <Form form={form} label="Locked" onSubmit={submit}>
          <FormFields>
            <TextField {...form.register('name')} label="Name" error={errors.name} />
            <TextField {...form.register('town')} label="Town" error={errors.town} />
          </FormFields>
          <SubmitButton busy={false} label="Save" busyLabel="" />
        </Form>
      );
    }
    render(<Locked />);
    await userEvent.setup().type(name(), '{Enter}');
    await waitFor(() => expect(screen.getByRole('form')).toHaveFocus());
    await act(async () => finish());
  }

  it('returns the focus to the field that had it, and does not scroll to the form meanwhile', async () => {
    const focus = vi.spyOn(HTMLFormElement.prototype, 'focus');
    await send();
    await waitFor(() => expect(name()).toHaveFocus());
    expect(focus.mock.calls).toEqual([[{ preventScroll: true }]]);
  });

  it('focuses the first invalid field', async () => {
    await send('Town is far');
    await waitFor(() => expect(screen.getByLabelText('Town')).toHaveFocus());
  });
});

it('keeps the first character typed after a newer version of its record was shown', async () => {
  interface Row {
    version: number;
    name: string;
  }
  const loaded = vi.fn<(load: (row: Row) => void) => void>();
  function Edit() {
    const [row, setRow] = useState<Row>({ version: 1, name: 'Rosa' });
    useEffect(() => loaded(setRow), []);
    const form = useForm({ defaultValues: { name: row.name } });
    const [base] = useEditBase(row, form, (newer) => ({ name: newer.name }));
    return (
      <Form form={form} label={`Version ${row.version} on ${base.version}`} onSubmit={() => Promise.resolve()}>
        <TextField {...form.register('name')} label="Name" error={undefined} />
        {form.formState.isDirty && <p>Changed</p>}
      </Form>
    );
  }
  render(<Edit />);
  const field = name() as HTMLInputElement;
  // Types at the first moment at which the newer version is on screen.
  const shown = new MutationObserver(() => {
    shown.disconnect();
    fireEvent.input(field, { target: { value: `${field.value}x` } });
  });
  shown.observe(screen.getByRole('form'), { attributes: true });
  // Not in `act`, which would run all effects at once.
  loaded.mock.lastCall?.[0]({ version: 2, name: 'Rosa Cruz' });
  expect(await screen.findByText('Changed')).toBeInTheDocument();
  expect(field).toHaveValue('Rosa Cruzx');
});
