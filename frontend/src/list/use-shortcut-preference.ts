import { useState } from 'react';
import * as v from 'valibot';
import { readStored, writeStored } from '@/lib/stored-json';

const KEY = 'waybill.list.shortcuts';

/** Keys without a modifier get in the way of speech input, so they can be turned off. */
export function useShortcutPreference(): [boolean, (enabled: boolean) => void] {
  const [enabled, setEnabled] = useState(() =>
    readStored(KEY, (value) => v.parse(v.boolean(), value), true),
  );
  return [
    enabled,
    (next) => {
      setEnabled(next);
      writeStored(KEY, next);
    },
  ];
}
