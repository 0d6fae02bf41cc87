import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Provider } from 'urql';
import { FakeSocket } from '@/test/fake-socket';
import { createGraphqlClient } from './client';
import { useDeliveryChanges } from './use-changes';

type Token = () => Promise<string | null>;

const changed = { deliveryChanged: { __typename: 'DeliveryChange', id: 'DR-1' } };
const getToken = vi.fn<Token>();
const onUnauthenticated = vi.fn<() => void>();
let signInCount = 0;
let hidden = false;

function Watcher({ ids, onChange }: { ids?: string[]; onChange: () => void }) {
  useDeliveryChanges(ids, onChange);
  return <p>watching</p>;
}

function open(...watchers: { ids?: string[]; onChange: () => void }[]) {
  const client = createGraphqlClient({ getToken, onUnauthenticated, getSignInCount: () => signInCount });
  const view = render(
    <Provider value={client}>
      {watchers.map((watcher, index) => (
        <Watcher key={index} {...watcher} />
      ))}
    </Provider>,
  );
  screen.getAllByText('watching');
  return view;
}

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

/** Waits until the library is loaded, which fake timers do not control, and returns the last socket. */
async function connected(sockets = 1) {
  await vi.waitFor(async () => {
    await pass(10);
    expect(FakeSocket.all).toHaveLength(sockets);
    expect(FakeSocket.last().open().length).toBeGreaterThan(0);
  });
  return FakeSocket.last();
}

beforeEach(() => {
  FakeSocket.install();
  vi.useFakeTimers();
  hidden = false;
  getToken.mockReset();
  onUnauthenticated.mockReset();
  signInCount = 0;
  getToken.mockResolvedValue('secret');
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => hidden);
});

afterEach(() => {
  vi.useRealTimers();
});

describe('changes made elsewhere', () => {
  it('come over one socket with the token, whoever asks', async () => {
    const [all, one] = [vi.fn<() => void>(), vi.fn<() => void>()];
    open({ onChange: all }, { ids: ['DR-1'], onChange: one });
    const socket = await connected();
    await pass(100);
    expect(socket.url).toBe('ws://localhost:3000/graphql');
    expect(socket.protocol).toBe('graphql-transport-ws');
    expect(socket.sent[0]).toEqual({
      type: 'connection_init',
      payload: { authorization: 'Bearer secret' },
    });
    const asked = socket.open().map(({ payload }) => (payload as { variables: unknown }).variables);
    expect(asked).toEqual([{}, { ids: ['DR-1'] }]);
    socket.push(changed);
    await pass(200);
    expect(all).toHaveBeenCalledOnce();
    expect(one).toHaveBeenCalledOnce();
  });

  it('are told within a second, and not one by one', async () => {
    const onChange = vi.fn<() => void>();
    open({ onChange });
    const socket = await connected();
    for (let count = 0; count < 50; count += 1) socket.push(changed);
    await pass(200);
    expect(onChange).toHaveBeenCalledTimes(1);
    for (let count = 0; count < 50; count += 1) socket.push(changed);
    await pass(200);
    expect(onChange).toHaveBeenCalledTimes(1);
    await pass(700);
    expect(onChange).toHaveBeenCalledTimes(2);
    await pass(5000);
    expect(onChange).toHaveBeenCalledTimes(2);
  });

  it('wait while nobody looks', async () => {
    const onChange = vi.fn<() => void>();
    open({ onChange });
    const socket = await connected();
    hidden = true;
    socket.push(changed);
    await pass(5000);
    expect(onChange).not.toHaveBeenCalled();
    hidden = false;
    act(() => void document.dispatchEvent(new Event('visibilitychange')));
    await pass(200);
    expect(onChange).toHaveBeenCalledOnce();
    act(() => void document.dispatchEvent(new Event('visibilitychange')));
    await pass(2000);
    expect(onChange).toHaveBeenCalledOnce();
  });

  it('that were missed are read after a connection that broke, with a new token', async () => {
    const onChange = vi.fn<() => void>();
    open({ onChange });
    const first = await connected();
    getToken.mockResolvedValue('newer');
    act(() => first.close(4403, 'Forbidden'));
    await pass(1200);
    const second = await connected(2);
    await pass(200);
    expect(second.sent[0]?.payload).toEqual({ authorization: 'Bearer newer' });
    expect(onChange).toHaveBeenCalledOnce();
    second.push(changed);
    await pass(1000);
    expect(onChange).toHaveBeenCalledTimes(2);
  });

  it('end with the session', async () => {
    open({ onChange: () => undefined });
    const socket = await connected();
    act(() => socket.close(4401, 'Unauthorized'));
    await pass(5000);
    expect(onUnauthenticated).toHaveBeenCalledOnce();
    expect(FakeSocket.all).toHaveLength(1);
  });

  it('go on over a new connection when the one of an earlier session ends, and are read', async () => {
    const onChange = vi.fn<() => void>();
    open({ onChange });
    const first = await connected();
    getToken.mockResolvedValue('newer');
    signInCount += 1;
    act(() => first.close(4401, 'Unauthorized'));
    const second = await connected(2);
    await pass(200);
    expect(onUnauthenticated).not.toHaveBeenCalled();
    expect(second.sent[0]?.payload).toEqual({ authorization: 'Bearer newer' });
    expect(onChange).toHaveBeenCalledOnce();
    second.push(changed);
    await pass(1000);
    expect(onChange).toHaveBeenCalledTimes(2);
  });

  it('cost nothing once nobody asks any more', async () => {
    const onChange = vi.fn<() => void>();
    const view = open({ onChange });
    const socket = await connected();
    socket.push(changed);
    view.unmount();
    expect(socket.open()).toEqual([]);
    await pass(5000);
    expect(onChange).not.toHaveBeenCalled();
    expect(socket.readyState).toBe(FakeSocket.CLOSED);
  });
});

describe('a server that knows no subscriptions', () => {
  it('is asked a few times, in silence, and again when somebody comes back', async () => {
    FakeSocket.reachable = false;
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const onChange = vi.fn<() => void>();
    open({ onChange });
    await vi.waitFor(async () => {
      await pass(1000);
      expect(FakeSocket.all).toHaveLength(5);
    });
    await pass(600_000);
    expect(FakeSocket.all).toHaveLength(5);
    expect(onChange).not.toHaveBeenCalled();
    FakeSocket.reachable = true;
    act(() => void document.dispatchEvent(new Event('visibilitychange')));
    const socket = await connected(6);
    expect(socket.open()).toHaveLength(1);
    expect(log).not.toHaveBeenCalled();
  });

  it('is never asked by a browser without sockets', async () => {
    vi.stubGlobal('WebSocket', undefined);
    open({ onChange: () => undefined });
    await pass(5000);
    expect(FakeSocket.all).toEqual([]);
  });
});
