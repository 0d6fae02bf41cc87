import { useCallback, useMemo, useRef, useState } from 'react';
import { useClient, useMutation, useQuery } from 'urql';
import { isPassing, normalizeError } from '@/data/errors';
import { usePreviousData } from '@/data/use-record';
import { toast } from '@/ui/toast';
import { type ImportValue, importValuesQuery, matchImportValuesMutation, type UploadLog } from './queries';

export type ValueField = ImportValue['field'];
type Decision = Pick<ImportValue, 'choice' | 'target'>;

/** Identifies a value within its import. */
export const keyOf = ({ field, value }: ImportValue) => `${field} ${value}`;

/**
 * Reads the values of a file that match no record, and saves each choice as it is made. `onUncertain` is called when the
 * server may have stored a choice although saving it failed.
 */
export function useMatchedValues(log: UploadLog, isAllowed: boolean, onUncertain?: () => void) {
  const uploadLog = log.id;
  const client = useClient();
  const variables = useMemo(() => ({ uploadLog }), [uploadLog]);
  const [{ data, error }, execute] = useQuery({
    query: importValuesQuery,
    variables,
    pause: !isAllowed || log.valuesToMatch === 0,
    requestPolicy: 'cache-and-network',
  });
  const found = usePreviousData(data?.importValues, uploadLog);
  const [, save] = useMutation(matchImportValuesMutation);
  const [made, setMade] = useState<ReadonlyMap<string, Decision>>(new Map());
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const running = useRef(new Set<Promise<boolean>>());

  const values = useMemo(
    () =>
      found?.values.map((value) => {
        const decision = made.get(keyOf(value));
        return decision ? { ...value, ...decision, remembered: false } : value;
      }),
    [found, made],
  );

  const send = useCallback(
    async (value: ImportValue, decision: Decision) => {
      const { choice, target } = decision;
      const matched = { field: value.field, value: value.value, choice, target: target?.name ?? null };
      const answer = await save({ input: { uploadLog, values: [matched] } });
      if (!answer.error) return true;
      const failed = normalizeError(answer.error);
      toast.error(failed.detail ?? failed.message);
      // Choices are not read again once they are saved, so an earlier one for this value may not be known here.
      const reading = client.query(importValuesQuery, variables, { requestPolicy: 'network-only' }).toPromise();
      const shown = reading.then(() =>
        // Show what is saved, unless another choice was made meanwhile.
        setMade((before) => {
          const after = new Map(before);
          if (after.get(keyOf(value)) === decision) after.delete(keyOf(value));
          return after;
        }),
      );
      if (isPassing(failed)) {
        await shown;
        onUncertain?.();
      }
      return false;
    },
    [save, uploadLog, client, variables, onUncertain],
  );

  const choose = useCallback(
    (value: ImportValue, decision: Decision) => {
      setMade((before) => new Map(before).set(keyOf(value), decision));
      // One after the other, so that the last choice for a value is the one that is kept.
      const sending = last.current.then(() => send(value, decision));
      last.current = sending;
      running.current.add(sending);
      void sending.then(() => running.current.delete(sending));
    },
    [send],
  );

  /** Resolves when all choices so far were sent: true unless one that was under way wasn't saved. */
  const settled = useCallback(async () => (await Promise.all(running.current)).every(Boolean), []);

  return {
    values,
    refuseUnknownDrivers: found?.refuseUnknownDrivers ?? false,
    error,
    retry: useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]),
    choose,
    settled,
  };
}

export type MatchedValues = ReturnType<typeof useMatchedValues>;
