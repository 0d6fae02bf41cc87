import { useState } from 'react';

/**
 * The value, or the last one known under the same key: urql lets go of its data as soon as reading
 * it again fails.
 */
export function useKept<Value>(value: Value | undefined, key: string): Value | undefined {
  const [kept, setKept] = useState<{ key: string; value: Value }>();
  if (value !== undefined && (kept?.value !== value || kept.key !== key)) setKept({ key, value });
  return value ?? (kept?.key === key ? kept.value : undefined);
}
