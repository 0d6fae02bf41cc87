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
