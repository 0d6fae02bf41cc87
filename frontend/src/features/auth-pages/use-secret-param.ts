import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';

/**
 * A secret that came in the address. It is taken out of there once it was read: addresses are kept,
 * copied and seen by others. Empty when there was none.
 */
export function useSecretParam(name: string): string {
  const [search, setSearch] = useSearchParams();
  const [secret, setSecret] = useState('');
  const found = search.get(name);
  if (found !== null && found !== secret) setSecret(found);

  useEffect(() => {
    if (found === null) return;
    setSearch(
      (rest) => {
        rest.delete(name);
        return rest;
      },
      { replace: true },
    );
  }, [found, name, setSearch]);

  return found ?? secret;
}
