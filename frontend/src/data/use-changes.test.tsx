import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Provider } from 'urql';
import { FakeSocket } from '@/test/fake-socket';
import { createGraphqlClient } from './client';
import { liveOf } from './live';
import { deliveriesChangedSubscription, useChanges, useDeliveryChanges } from './use-changes';

type Token = () => Promise<string | null>;

const changed = { deliveryChanged: { __typename: 'DeliveryChange', id: 'DR-1' } };
const listChanged = { deliveriesChanged: true };
const getToken = vi.fn<Token>();
const onUnauthenticated = vi.fn<() => void>();
let signInCount = 0;
let hidden = false;

function Watcher({ ids = ['DR-1'], onChange }: { ids?: string[]; onChange: () => void }) {
  useDeliveryChanges(ids, onChange);
  return <p>watching</p>;
}

function List({ onChange }: { onChange: () => void }) {
  useChanges(deliveriesChangedSubscription, {}, onChange, { busyPace: 5000 });
  return <p>watching</p>;
}

function open(...watchers: { ids?: string[]; isList?: boolean; onChange: () => void }[]) {
  const client = createGraphqlClient({ getToken, onUnauthenticated, getSignInCount: () => signInCount });
  const view = render(
    <Provider value={client}>
      {watchers.map(({ isList, ...watcher }, index) =>
        isList ? <List key={index} {...watcher} /> : <Watcher key={index} {...watcher} />,
      )}
    </Provider>,
  );
  screen.getAllByText('watching');
  return { ...view, client };
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
    open({ isList: true, onChange: all }, { ids: ['DR-1'], onChange: one });
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
    socket.push(listChanged);
    await pass(500);
    expect(all).toHaveBeenCalledOnce();
    expect(one).toHaveBeenCalledOnce();
  });

  it('are read by lists less and less often while they go on, and at once after a break', async () => {
    const onChange = vi.fn<() => void>();
    open({ isList: true, onChange });
    const socket = await connected();
    for (let second = 0; second < 60; second += 1) {
      socket.push(listChanged);
      await pass(1000);
    }
    const reads = onChange.mock.calls.length;
    expect(reads).toBeGreaterThanOrEqual(12);
    expect(reads).toBeLessThanOrEqual(17);
    await pass(20_000);
    onChange.mockClear();
    socket.push(listChanged);
    await pass(500);
    expect(onChange).toHaveBeenCalledOnce();
    socket.push(listChanged);
    await pass(1100);
    expect(onChange).toHaveBeenCalledTimes(2);
  });

  it('are not read by all open lists at the same moment', async () => {
    const [soon, late] = [vi.fn<() => void>(), vi.fn<() => void>()];
    open({ isList: true, onChange: soon }, { isList: true, onChange: late });
    const socket = await connected();
    vi.spyOn(Math, 'random').mockReturnValueOnce(0.1).mockReturnValueOnce(0.9);
    socket.push(listChanged);
    await pass(200);
    expect([soon, late].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
    await pass(300);
    expect(late).toHaveBeenCalledOnce();
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

  it('that were missed are read once after a first connection that took long, and only then', async () => {
    FakeSocket.isQuick = false;
    const onChange = vi.fn<() => void>();
    open({ onChange });
    await vi.waitFor(async () => {
      await pass(10);
      expect(FakeSocket.all).toHaveLength(1);
    });
    await pass(3000);
    expect(onChange).not.toHaveBeenCalled();
    act(() => FakeSocket.last().acknowledge());
    await pass(2000);
    expect(onChange).toHaveBeenCalledOnce();
  });

  it('are not looked for after a first connection that was quick', async () => {
    const onChange = vi.fn<() => void>();
    open({ onChange });
    await connected();
    await pass(2000);
    expect(onChange).not.toHaveBeenCalled();
  });

  it('end with the session', async () => {
    open({ onChange: () => undefined });
    const socket = await connected();
    getToken.mockResolvedValue(null);
    act(() => socket.close(4401, 'Unauthorized'));
    await pass(120_000);
    expect(onUnauthenticated).toHaveBeenCalledOnce();
    expect(FakeSocket.all).toHaveLength(1);
  });

  it('go on over a new connection when another tab has replaced the session', async () => {
    const onChange = vi.fn<() => void>();
    open({ onChange });
    const first = await connected();
    getToken.mockResolvedValue('newer');
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

  it('are subscribed to at intervals while the server refuses a session that lives', async () => {
    open({ onChange: () => undefined });
    const first = await connected();
    act(() => first.close(4401, 'Unauthorized'));
    const second = await connected(2);
    act(() => second.close(4401, 'Unauthorized'));
    await pass(10_000);
    expect(FakeSocket.all).toHaveLength(2);
    await pass(50_000);
    expect(FakeSocket.last().open()).toHaveLength(1);
    expect(FakeSocket.all).toHaveLength(3);
    expect(onUnauthenticated).not.toHaveBeenCalled();
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

describe('while no token can be fetched', () => {
  const unavailable = () => Promise.reject(new TypeError('An error has occurred'));

  it.each([
    ['the server asks to come back later', 1013],
    ['the session is in doubt', 4401],
    ['the connection breaks for good', 4500],
  ])('nobody is signed out, and changes come again within a minute: %s', async (_, code) => {
    const onChange = vi.fn<() => void>();
    open({ onChange });
    const first = await connected();
    getToken.mockImplementationOnce(unavailable);
    act(() => first.close(code, ''));
    await pass(60_000);
    expect(onUnauthenticated).not.toHaveBeenCalled();
    expect(FakeSocket.last()).not.toBe(first);
    expect(FakeSocket.last().open()).toHaveLength(1);
    // Changes were missed in between.
    expect(onChange).toHaveBeenCalled();
    onChange.mockClear();
    FakeSocket.last().push(changed);
    await pass(1000);
    expect(onChange).toHaveBeenCalledOnce();
  });

  it('the first connection is tried until there is one', async () => {
    getToken.mockImplementation(unavailable);
    const onChange = vi.fn<() => void>();
    open({ onChange });
    await vi.waitFor(async () => {
      await pass(10);
      expect(FakeSocket.all).toHaveLength(1);
    });
    await pass(120_000);
    expect(FakeSocket.last().open()).toEqual([]);
    expect(onChange).not.toHaveBeenCalled();
    getToken.mockResolvedValue('secret');
    await pass(60_000);
    expect(FakeSocket.last().open()).toHaveLength(1);
    // Changes were missed since the page was loaded.
    expect(onChange).toHaveBeenCalledOnce();
    expect(onUnauthenticated).not.toHaveBeenCalled();
  });
});

it('subscribes again with the next subscription to what broke, and only once', async () => {
  const client = createGraphqlClient({ getToken, onUnauthenticated });
  const page = (ids: string[]) => (
    <Provider value={client}>
      <List key="all" onChange={() => undefined} />
      {ids.map((id) => (
        <Watcher key={id} ids={[id]} onChange={() => undefined} />
      ))}
    </Provider>
  );
  const view = render(page([]));
  const first = await connected();
  act(() => first.close(4500, ''));
  await pass(1000);
  view.rerender(page(['DR-1']));
  const second = await connected(2);
  await pass(60_000);
  expect(second.open()).toHaveLength(2);
  expect(FakeSocket.last()).toBe(second);
});

it('subscribes again after a reconnect to what the server had ended', async () => {
  open({ isList: true, onChange: () => undefined }, { onChange: () => undefined });
  const first = await connected();
  await pass(100);
  first.push(listChanged);
  act(() => first.complete());
  await pass(10);
  act(() => first.close(1013, 'try again later'));
  const second = await connected(2);
  await pass(100);
  expect(second.open()).toHaveLength(2);
});

it('opens a subscription that is shared once more on a new connection', async () => {
  const { client } = open({ onChange: () => undefined }, { onChange: () => undefined });
  const first = await connected();
  await pass(100);
  expect(first.open()).toHaveLength(1);
  act(() => liveOf(client).renew());
  const second = await connected(2);
  await pass(100);
  expect(second.open()).toHaveLength(1);
  expect(first.readyState).toBe(FakeSocket.CLOSED);
});

it('subscribes to nothing again after the last screen was left', async () => {
  const { client, unmount } = open({ onChange: () => undefined });
  await connected();
  act(() => {
    liveOf(client).renew();
    unmount();
  });
  await pass(5000);
  expect(FakeSocket.all).toHaveLength(1);
});

describe('a server that knows no subscriptions', () => {
  it('is subscribed to for everything that was given up, once it can be reached', async () => {
    FakeSocket.reachable = false;
    const client = createGraphqlClient({ getToken, onUnauthenticated });
    const onChange = vi.fn<() => void>();
    const page = (ids: string[]) => (
      <Provider value={client}>
        <List key="all" onChange={onChange} />
        {ids.map((id) => (
          <Watcher key={id} ids={[id]} onChange={() => undefined} />
        ))}
      </Provider>
    );
    const view = render(page([]));
    await vi.waitFor(async () => {
      await pass(1000);
      expect(FakeSocket.all).toHaveLength(5);
    });
    await pass(60_000);
    FakeSocket.reachable = true;
    view.rerender(page(['DR-1']));
    const socket = await connected(6);
    await pass(500);
    expect(socket.open()).toHaveLength(2);
    // Changes were missed since the page was loaded.
    expect(onChange).toHaveBeenCalledOnce();
  });

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
