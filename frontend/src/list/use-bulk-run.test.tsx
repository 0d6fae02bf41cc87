import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type BulkAnswer, useBulkRun } from './use-bulk-run';

it('goes a hundred at a time and can be stopped', async () => {
  const sent: string[][] = [];
  const answers: ((answer: BulkAnswer) => void)[] = [];
  const { result } = renderHook(() =>
    useBulkRun((ids) => {
      sent.push(ids);
      return new Promise((resolve) => answers.push(resolve));
    }),
  );
  const good = (ids: string[] = []) => ({ results: ids.map((deliveryId) => ({ deliveryId, ok: true })) });
  act(() => void result.current.run(Array.from({ length: 250 }, (_, at) => `DR-${at}`)));
  expect(result.current).toMatchObject({ status: 'running', done: 0, total: 250 });
  act(() => answers[0]?.(good(sent[0])));
  await waitFor(() => expect(result.current.done).toBe(100));
  act(() => result.current.stop());
  act(() => answers[1]?.(good(sent[1])));
  await waitFor(() => expect(result.current.status).toBe('done'));
  expect(result.current).toMatchObject({ done: 200, total: 250 });
  expect(sent.map((ids) => ids.length)).toEqual([100, 100]);
});

it('returns what is left: what failed and what was not reached, and goes on with it', async () => {
  let stop = () => {};
  let failing = ['DR-3', 'DR-7'];
  const { result } = renderHook(() =>
    useBulkRun((ids) => {
      if (ids.includes('DR-0')) stop();
      return Promise.resolve({ results: ids.map((deliveryId) => ({ deliveryId, ok: !failing.includes(deliveryId) })) });
    }),
  );
  stop = () => result.current.stop();
  const ids = Array.from({ length: 250 }, (_, at) => `DR-${at}`);
  expect(result.current.left).toEqual([]);
  await act(() => result.current.run(ids));
  const left = ['DR-3', 'DR-7', ...ids.slice(100)];
  expect(result.current).toMatchObject({ status: 'done', done: 100, total: 250, left });
  failing = ['DR-7'];
  await act(() => result.current.run(left));
  expect(result.current).toMatchObject({ status: 'done', done: 152, total: 152, left: ['DR-7'] });
  expect(result.current.results.filter(({ ok }) => ok)).toHaveLength(249);
});

it('does not send again what was changed in the meantime, and keeps it among what is left', async () => {
  let code: string | null = 'DATABASE_BUSY';
  const { result } = renderHook(() =>
    useBulkRun((ids) =>
      Promise.resolve({
        results: ids.map((deliveryId) => {
          const reason = deliveryId === 'DR-1' ? 'DELIVERY_CHANGED' : code;
          return { deliveryId, ok: reason === null, code: reason };
        }),
      }),
    ),
  );
  await act(() => result.current.run(['DR-0', 'DR-1']));
  expect(result.current).toMatchObject({ left: ['DR-0', 'DR-1'], again: ['DR-0'] });
  code = null;
  await act(() => result.current.run(result.current.again));
  expect(result.current).toMatchObject({ status: 'done', done: 1, total: 1, left: ['DR-1'], again: [] });
});
