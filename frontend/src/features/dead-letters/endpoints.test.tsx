import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { endpoint, producer } from '@/test/dead-letters';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderPage, renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './dead-letters-page';
import { Endpoints } from './endpoints';

let server: FakeServer;
let endpoints: object[] | undefined;
let producers: object[];
let saved: Answer | Promise<Answer>;

beforeEach(() => {
  endpoints = [endpoint('e1')];
  producers = [];
  saved = {
    data: {
      saveOutboundEndpoint: { __typename: 'OutboundEndpoint', id: 'e2', name: 'WMS', secret: 'whsec_abc' },
    },
  };
  server = startFakeServer({
    user: rosa,
    operations: {
      OutboundEndpoints: () =>
        endpoints
          ? { data: { outboundEndpoints: endpoints, sources: [{ __typename: 'Source', id: 's1', name: 'Web' }] } }
          : { errors: [{ message: 'Too busy' }] },
      DeadLetterProducers: () => ({ data: { deadLetterProducers: producers } }),
      SaveOutboundEndpoint: () => saved,
      SaveDeadLetterProducer: () => ({
        data: { saveDeadLetterProducer: { __typename: 'DeadLetterProducer', id: 'p2', name: 'wms', token: 'wbp_abc' } },
      }),
      RotateDeadLetterProducerToken: () => ({
        data: {
          rotateDeadLetterProducerToken: { __typename: 'DeadLetterProducer', id: 'p1', name: 'erp', token: 'wbp_new' },
        },
      }),
      RotateOutboundSecret: () => ({
        data: {
          rotateOutboundSecret: { __typename: 'OutboundEndpoint', id: 'e1', name: 'ERP', secret: 'whsec_new' },
        },
      }),
      TestOutboundEndpoint: () => ({
        data: {
          testOutboundEndpoint: {
            __typename: 'OutboundTest',
            status: null,
            ms: 10000,
            error: 'The receiver did not answer in 10 s',
            responseBody: null,
          },
        },
      }),
      ResumeOutboundEndpoint: () => ({
        data: { resumeOutboundEndpoint: { __typename: 'OutboundEndpoint', id: 'e1', pausedAt: null } },
      }),
    },
  });
});

afterEach(() => {
  vi.useRealTimers();
});

async function open() {
  const view = renderRoutes(declarations, '/admin/settings/dead-letters?tab=endpoints');
  await screen.findByRole('heading', { level: 1, name: 'Dead Letters' });
  return view;
}

const sent = (name: string) => server.calls.filter((call) => call.name === name);

describe('endpoints', () => {
  it('are added with a secret that is shown once', async () => {
    endpoints = [];
    const { user } = await open();
    await screen.findByRole('heading', { name: 'No endpoints yet' });
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'Add endpoint' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Add endpoint' }));
    await user.click(dialog.getByRole('button', { name: 'Add endpoint' }));
    expect(sent('SaveOutboundEndpoint')).toHaveLength(0);
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'WMS');
    await user.type(dialog.getByRole('textbox', { name: 'Address' }), 'https://wms.example/hook');
    await user.click(dialog.getByRole('checkbox', { name: 'Form' }));
    await expectAccessible();
    await user.click(dialog.getByRole('button', { name: 'Add endpoint' }));
    expect(await screen.findByRole('textbox', { name: 'Secret' })).toHaveValue('whsec_abc');
    expect(sent('SaveOutboundEndpoint')[0]?.variables).toMatchObject({
      input: {
        name: 'WMS',
        url: 'https://wms.example/hook',
        methods: ['create', 'update', 'status', 'variance', 'cancel', 'correction'],
        sourceIds: [],
        isActive: true,
      },
    });
  });

  it('say what the server refuses at its field', async () => {
    saved = {
      errors: [
        {
          message: 'Enter an address that starts with https://',
          extensions: {
            code: 'BAD_USER_INPUT',
            properties: { messages: { url: ['Enter an address that starts with https://'] } },
          },
        },
      ],
    };
    const { user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Edit' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit ERP' }));
    await user.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(dialog.getByRole('textbox', { name: 'Address' })).toHaveAccessibleDescription(
        /Enter an address that starts with https/,
      ),
    );
  });

  it('keep their dialog open until the server has answered', async () => {
    let answer: (answer: Answer) => void = () => undefined;
    endpoints = [];
    saved = new Promise((resolve) => (answer = resolve));
    const { user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Add endpoint' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Add endpoint' }));
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'WMS');
    await user.type(dialog.getByRole('textbox', { name: 'Address' }), 'https://wms.example/hook');
    await user.click(dialog.getByRole('button', { name: 'Add endpoint' }));
    await dialog.findByRole('button', { name: 'Saving...' });
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect(screen.getByRole('dialog', { name: 'Add endpoint' })).toBeInTheDocument();
    expect(dialog.getByRole('textbox', { name: 'Name' }).closest('[inert]')).not.toBeNull();
    await act(async () =>
      answer({
        data: { saveOutboundEndpoint: { __typename: 'OutboundEndpoint', id: 'e2', name: 'WMS', secret: 'whsec_abc' } },
      }),
    );
    expect(await screen.findByRole('textbox', { name: 'Secret' })).toHaveValue('whsec_abc');
  });

  it('are tested and resumed', async () => {
    endpoints = [endpoint('e1', { pausedAt: '2026-11-20T08:00:00Z', failuresInRow: 50 })];
    const { user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Send test' }));
    expect(await screen.findByText('The receiver did not answer in 10 s')).toBeInTheDocument();
    expect(screen.getByText('ERP is paused')).toBeInTheDocument();
    await expectAccessible();
    endpoints = [endpoint('e1')];
    await user.click(screen.getByRole('button', { name: 'Resume' }));
    await waitFor(() => expect(screen.queryByText('ERP is paused')).not.toBeInTheDocument());
    expect(sent('ResumeOutboundEndpoint')[0]?.variables).toEqual({ id: 'e1' });
    // The button that had the focus is gone.
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  it('are read again while the page is open, and stay when that fails', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
    await open();
    await screen.findByRole('button', { name: 'Send test' });
    endpoints = [endpoint('e1', { pausedAt: '2026-11-20T08:00:00Z', failuresInRow: 50 })];
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    expect(await screen.findByRole('button', { name: 'Resume' })).toBeInTheDocument();
    expect(sent('OutboundEndpoints')).toHaveLength(2);
    endpoints = undefined;
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    expect(await screen.findByText(/^Couldn't refresh/)).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Send test' })).toBeInTheDocument();
  });
});

it('shows the new secret of an endpoint once it was rotated', async () => {
  const { user } = await open();
  await user.click(await screen.findByRole('button', { name: 'Rotate secret' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Create a new secret for ERP?' }));
  await user.click(question.getByRole('button', { name: 'Rotate secret' }));
  expect(await screen.findByRole('textbox', { name: 'Secret' })).toHaveValue('whsec_new');
});

describe('producers', () => {
  it('are added once there is an endpoint, with a token that is shown once', async () => {
    endpoints = [];
    const { user, unmount } = await open();
    expect(await screen.findByRole('button', { name: 'Add reporting system' })).toHaveAttribute('aria-disabled', 'true');
    expect(screen.getByText('Add an endpoint first. Resent messages go to it.')).toBeInTheDocument();
    unmount();
    endpoints = [endpoint('e1'), endpoint('e2', { name: 'WMS' })];
    await open();
    await user.click(await screen.findByRole('button', { name: 'Add reporting system' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Add reporting system' }));
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'W M S');
    await user.click(dialog.getByRole('button', { name: 'Add reporting system' }));
    expect(sent('SaveDeadLetterProducer')).toHaveLength(0);
    await user.clear(dialog.getByRole('textbox', { name: 'Name' }));
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'wms');
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Endpoint for resends' }), 'WMS');
    await expectAccessible();
    await user.click(dialog.getByRole('button', { name: 'Add reporting system' }));
    expect(await screen.findByRole('textbox', { name: 'Token' })).toHaveValue('wbp_abc');
    expect(sent('SaveDeadLetterProducer')[0]?.variables).toEqual({
      input: { name: 'wms', endpointId: 'e2', isActive: true },
    });
  });

  it('say where they publish, and get another token', async () => {
    producers = [producer('p1')];
    const { user } = await open();
    expect(await screen.findByText('waybill.intake.erp.deadletter.raised.v1')).toBeInTheDocument();
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'Replace token' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Replace the token for erp?' }));
    await user.click(question.getByRole('button', { name: 'Replace token' }));
    expect(await screen.findByRole('textbox', { name: 'Token' })).toHaveValue('wbp_new');
    expect(sent('RotateDeadLetterProducerToken')[0]?.variables).toEqual({ id: 'p1', version: 3 });
  });
});

it('keeps a source of an endpoint that is not listed, also once another was selected and cleared', async () => {
  endpoints = [endpoint('e1', { sourceIds: ['s101'] })];
  saved = {
    data: { saveOutboundEndpoint: { __typename: 'OutboundEndpoint', id: 'e1', name: 'ERP', secret: null } },
  };
  const { user } = renderPage(<Endpoints />);
  expect(await screen.findByText('1 other source')).toBeInTheDocument();
  expect(screen.queryByText('All sources')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Edit' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit ERP' }));
  const listed = dialog.getByRole('checkbox', { name: 'Web' });
  await user.click(listed);
  await user.click(listed);
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(server.calls.find(({ name }) => name === 'SaveOutboundEndpoint')?.variables).toMatchObject({
      input: { sourceIds: ['s101'] },
    }),
  );
});
